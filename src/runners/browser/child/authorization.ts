/** Keeps the Authorization header out of what scripts send (specification, release behaviour of runtime 2025.04). */
import type { Route } from '@playwright/test';
import type { Browser, BrowserContext, Library } from './library.ts';

type Headers = Readonly<Record<string, string>>;

/** The parts of Playwright that have no types: what it does before it makes a context, and how it sends. */
interface Owner {
  _instrumentation?: object;
}
interface OpenRequests {
  _innerFetch?(options: {
    headers?: Headers;
    url?: string;
    request?: { headers(): Headers; url(): string };
  }): Promise<unknown>;
}
/** What takes requests that are routed to where the script, or Playwright itself, has said. */
interface Routing {
  _onRoute?(route: Route): Promise<void>;
}
interface ContextOptions {
  httpCredentials?: unknown;
  extraHTTPHeaders?: Headers;
}

export interface Cleaning {
  onBrowser(browser: Browser): void;
  onContext(context: BrowserContext): Promise<void>;
}

/** Begins at once with requests that belong to no browser. */
export function leaveOutAuthorization({ request, chromium }: Library): Cleaning {
  const playwright = (request as { _playwright?: Owner })._playwright;
  if (playwright === undefined) throw new Error(ANOTHER);
  for (const owner of [playwright, chromium]) cleanOptions(owner);
  const type = Object.getPrototypeOf(request) as Library['request'];
  const { newContext } = type;
  type.newContext = async function (this: Library['request'], given) {
    const context = await newContext.call(this, given);
    cleanRequests(context);
    return context;
  };
  return {
    onBrowser: cleanOptions,
    async onContext(context) {
      cleanRequests(context.request);
      cleanRoutes(context);
      context.on('page', cleanRoutes);
      context.setHTTPCredentials = async () => {};
      await context.route('**/*', async (route) => {
        const request = route.request();
        const headers = await request.allHeaders();
        return route.fallback({
          ...(Object.keys(headers).some(isIt) ? { headers: without(headers) } : {}),
          ...nameless(request.url()),
        });
      });
    },
  };
}

const ANOTHER =
  'this Playwright makes its contexts and requests in another way: the Authorization header would be sent';

/** The options of a context, those that Playwright Test adds included, lose what would make the header. */
function cleanOptions(owner: object): void {
  const open = owner as Owner;
  const held = open._instrumentation;
  if (held === undefined) throw new Error(ANOTHER);
  open._instrumentation = new Proxy(held, {
    get(target, name) {
      const act: unknown = Reflect.get(target, name);
      if (name !== 'runBeforeCreateRequestContext' && name !== 'runBeforeCreateBrowserContext') return act;
      return async (options: ContextOptions) => {
        await (act as (options: ContextOptions) => Promise<void>)(options);
        delete options.httpCredentials;
        if (options.extraHTTPHeaders) options.extraHTTPHeaders = without(options.extraHTTPHeaders);
      };
    },
  });
}

function cleanRequests(requests: object): void {
  const open = requests as OpenRequests;
  const send = open._innerFetch?.bind(open);
  if (send === undefined) throw new Error(ANOTHER);
  open._innerFetch = (options) => {
    const headers = options.headers ?? options.request?.headers();
    const clean = headers === undefined ? {} : { headers: without(headers) };
    return send({ ...options, ...clean, ...nameless(options.url ?? options.request?.url() ?? '') });
  };
}

/** A route of the script's own continues its requests without the header, too: what it falls back to is the one above. */
function cleanRoutes(routed: object): void {
  const open = routed as Routing;
  const take = open._onRoute?.bind(open);
  if (take === undefined) throw new Error(ANOTHER);
  open._onRoute = (route) => {
    const { continue: proceed } = route;
    route.continue = async function (this: Route, options = {}) {
      const headers = options.headers ?? (await this.request().allHeaders());
      const { url = this.request().url() } = options;
      return proceed.call(this, { ...options, headers: without(headers), ...nameless(url) });
    };
    return take(route);
  };
}

/** An address without the user in it, of whom the header would be made; nothing where it names none. */
function nameless(address: string): { readonly url?: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.username === '' && url.password === '')) return {};
  url.username = '';
  url.password = '';
  return { url: url.href };
}

const isIt = (name: string) => name.toLowerCase() === 'authorization';
const without = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIt(name)));

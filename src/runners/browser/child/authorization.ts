/** Keeps the Authorization header out of what scripts send (specification, release behaviour of runtime 2025.04). */
import type { Browser, BrowserContext, Library } from './library.ts';

type Headers = Readonly<Record<string, string>>;

/** The parts of Playwright that have no types: what it does before it makes a context, and how it sends. */
interface Owner {
  _instrumentation?: object;
}
interface OpenRequests {
  _innerFetch?(options: { headers?: Headers; request?: { headers(): Headers } }): Promise<unknown>;
}
interface ContextOptions {
  httpCredentials?: unknown;
  extraHTTPHeaders?: Headers;
}

export interface Cleaning {
  onBrowser(browser: Browser): void;
  onContext(context: BrowserContext): Promise<void>;
}

/**
 * Begins at once with requests that belong to no browser. A route of the script's own that continues a request by itself is
 * not looked into, nor is a user in an address that a page opens.
 */
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
      context.setHTTPCredentials = async () => {};
      await context.route('**/*', async (route) => {
        const headers = await route.request().allHeaders();
        return Object.keys(headers).some(isIt)
          ? route.fallback({ headers: without(headers) })
          : route.fallback();
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
    return send(headers === undefined ? options : { ...options, headers: without(headers) });
  };
}

const isIt = (name: string) => name.toLowerCase() === 'authorization';
const without = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIt(name)));

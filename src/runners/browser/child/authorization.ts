/** Keeps the Authorization header out of what scripts send (specification, release behaviour of runtime 2025.04). */
import type { BrowserContext, BrowserContextOptions, Library } from './library.ts';

type Headers = Readonly<Record<string, string>>;

/** The options of a context without what would make the header; those that Playwright Test sets for all are cleaned as well. */
export type CleanOptions = <Options extends BrowserContextOptions>(
  owner: object,
  options: Options,
) => Options;

/** The parts of Playwright's requests that have no types. */
interface OpenRequests {
  _innerFetch?(options: { headers?: Headers; request?: { headers(): Headers } }): Promise<unknown>;
}
interface Owner {
  readonly _playwright?: { _defaultContextOptions?: BrowserContextOptions };
}

/** Begins at once with requests that belong to no browser; `onContext` is to be called with each context. */
export function leaveOutAuthorization({ request }: Library): {
  readonly options: CleanOptions;
  onContext(context: BrowserContext): Promise<void>;
} {
  const type = Object.getPrototypeOf(request) as Library['request'];
  const { newContext } = type;
  type.newContext = async function (this: Library['request'], given) {
    const context = await newContext.call(this, cleaned(this, given ?? {}));
    cleanRequests(context);
    return context;
  };
  return {
    options: cleaned,
    async onContext(context) {
      cleanRequests(context.request);
      context.setHTTPCredentials = async () => {};
      await context.route('**/*', async (route) => {
        const headers = await route.request().allHeaders();
        if (!hasIt(headers)) return route.fallback();
        return route.fallback({ headers: without(headers) });
      });
    },
  };
}

const cleaned: CleanOptions = (owner, options) => {
  const playwright = (owner as Owner)._playwright;
  if (playwright?._defaultContextOptions)
    playwright._defaultContextOptions = bare(playwright._defaultContextOptions);
  return bare(options);
};

function bare<Options extends BrowserContextOptions>(options: Options): Options {
  const { httpCredentials: _, extraHTTPHeaders, ...rest } = options;
  return {
    ...rest,
    ...(extraHTTPHeaders === undefined ? {} : { extraHTTPHeaders: without(extraHTTPHeaders) }),
  } as unknown as Options;
}

function cleanRequests(requests: object): void {
  const open = requests as OpenRequests;
  const send = open._innerFetch?.bind(open);
  if (send === undefined) throw new Error('this Playwright makes its requests in another way (_innerFetch)');
  open._innerFetch = (options) => {
    const headers = options.headers ?? options.request?.headers();
    return send(headers === undefined ? options : { ...options, headers: without(headers) });
  };
}

const isIt = (name: string) => name.toLowerCase() === 'authorization';
const hasIt = (headers: Headers) => Object.keys(headers).some(isIt);
const without = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIt(name)));

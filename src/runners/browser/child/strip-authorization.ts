/** Keeps the Authorization header out of what scripts send (specification, release behaviour of runtime 2025.04). */
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { urlToHttpOptions } from 'node:url';
import type { Browser, BrowserContext, Library } from './locate-playwright.ts';

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

/** Begins at once with requests that belong to no browser. */
export function leaveOutAuthorization({ request, chromium }: Library): Cleaning {
  const playwright = (request as { _playwright?: Owner })._playwright;
  if (playwright === undefined) throw new Error(ANOTHER);
  for (const owner of [playwright, chromium]) cleanOptions(owner);
  for (const node of [http, https]) cleanNode(node);
  syncBuiltinESMExports();
  cleanFetch();
  const type = Object.getPrototypeOf(request) as Library['request'];
  const { newContext } = type;
  type.newContext = async function (this: Library['request'], given) {
    const context = await newContext.call(this, given);
    cleanRequests(context);
    return context;
  };
  const cleaned = new WeakMap<Browser, Promise<void>>();
  return {
    onBrowser: cleanOptions,
    async onContext(context) {
      cleanRequests(context.request);
      context.setHTTPCredentials = async () => {};
      for (const owner of [context, ...context.pages()]) cleanExtra(owner);
      context.on('page', cleanExtra);
      const browser = context.browser();
      if (browser === null) throw new Error(ANOTHER);
      const isClean = cleaned.get(browser) ?? cleanBrowser(browser);
      cleaned.set(browser, isClean);
      await isClean;
    },
  };
}

const ANOTHER = 'this version of Playwright is not supported: it would send the Authorization header';

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

type Answered = ((response: IncomingMessage) => void) | undefined;

/** What Node sends, for Playwright, too: where a redirect leads to an address with a user, Node makes the header of it. */
function cleanNode(node: typeof http | typeof https): void {
  const { request } = node as typeof http;
  const send = (...given: unknown[]) => {
    const [first, second] = given;
    const url = typeof first === 'string' ? new URL(first) : first instanceof URL ? first : undefined;
    const options: unknown = url === undefined ? first : second;
    const asked = { ...(url && urlToHttpOptions(url)), ...(options as RequestOptions | undefined) };
    const { headers = {} } = asked;
    const clean = Array.isArray(headers) ? pairsWithout(headers.flat()) : without(headers as Headers);
    const answered = given.find((one) => typeof one === 'function');
    return request({ ...asked, auth: null, headers: clean }, answered as Answered);
  };
  node.request = send;
  node.get = (...given: unknown[]) => {
    const asked = send(...given);
    asked.end();
    return asked;
  };
}

function cleanFetch(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, given) => {
    const request = new Request(input, given);
    request.headers.delete('authorization');
    return fetch(request);
  };
}

/** What the trace tells is without it, too. */
function cleanRequests(requests: object): void {
  const open = requests as OpenRequests;
  const send = open._innerFetch?.bind(open);
  if (send === undefined) throw new Error(ANOTHER);
  open._innerFetch = (options) => {
    const headers = options.headers ?? options.request?.headers();
    return send({ ...options, ...(headers && { headers: without(headers) }) });
  };
}

/** Sockets of pages are no requests that could be looked at: what they begin with has the headers of their context and page. */
function cleanExtra(owner: { setExtraHTTPHeaders(headers: Headers): Promise<void> }): void {
  const set = owner.setExtraHTTPHeaders.bind(owner);
  owner.setExtraHTTPHeaders = (headers) => set(without(headers));
}

/** All that the browser asks for passes here, next to the network: what routes have changed, workers and redirects, too. */
async function cleanBrowser(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  session.on('Fetch.requestPaused', ({ requestId, request: { headers, url } }) => {
    const isNamed = Object.keys(headers).some(isIt);
    const kept = Object.entries(without(headers)).map(([name, value]) => ({ name, value }));
    const changed = { ...(isNamed && { headers: kept }), ...nameless(url) };
    // Of a browser that is just closing nothing is sent any more.
    session.send('Fetch.continueRequest', { requestId, ...changed }).catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

/** An address without the user in it, of whom the header would be made; nothing where it names none. */
function nameless(address: string): { readonly url?: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.username === '' && url.password === '')) return {};
  url.username = '';
  url.password = '';
  return { url: url.href };
}

/** Headers as a list of names and values in turn, as Node takes them. */
const pairsWithout = (headers: readonly string[]): string[] =>
  headers.filter((_, place) => !isIt(headers[place - (place % 2)] ?? ''));
const isIt = (name: string) => name.toLowerCase() === 'authorization';
const without = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIt(name)));

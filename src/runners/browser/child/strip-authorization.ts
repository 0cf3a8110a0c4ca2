/** Strips the Authorization header from everything that scripts of runtime 2025.04 send (specification). */

import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { urlToHttpOptions } from 'node:url';
import { parseUrl } from '../../../base/parse-url.ts';
import type { Browser, BrowserContext, Library } from './locate-playwright.ts';

type Headers = Readonly<Record<string, string>>;

/** Internals of Playwright without types: the hook before a new context, and the sender of requests. */
interface PlaywrightObject {
  _instrumentation?: object;
}
interface RequestInternals {
  _innerFetch?(options: { headers?: Headers; request?: { headers(): Headers } }): Promise<unknown>;
}
interface ContextOptions {
  httpCredentials?: unknown;
  extraHTTPHeaders?: Headers;
}

export function stripAuthorization({ request, chromium }: Library) {
  const playwright = (request as { _playwright?: PlaywrightObject })._playwright;
  if (playwright === undefined) throw new Error(UNSUPPORTED);
  for (const owner of [playwright, chromium]) stripContextOptions(owner);
  for (const node of [http, https]) stripNodeRequests(node);
  syncBuiltinESMExports();
  stripFetch();
  const type = Object.getPrototypeOf(request) as Library['request'];
  const { newContext } = type;
  type.newContext = async function (this: Library['request'], options) {
    const context = await newContext.call(this, options);
    stripRequests(context);
    return context;
  };
  const strippedBrowsers = new WeakMap<Browser, Promise<void>>();
  return {
    onBrowser: stripContextOptions,
    async onContext(context: BrowserContext): Promise<void> {
      stripRequests(context.request);
      context.setHTTPCredentials = async () => {};
      for (const owner of [context, ...context.pages()]) stripExtraHeaders(owner);
      context.on('page', stripExtraHeaders);
      const browser = context.browser();
      if (browser === null) throw new Error(UNSUPPORTED);
      const stripping = strippedBrowsers.get(browser) ?? stripBrowserRequests(browser);
      strippedBrowsers.set(browser, stripping);
      await stripping;
    },
  };
}

const UNSUPPORTED = 'this version of Playwright is not supported: it would send the Authorization header';

/** Removes options that create the header from contexts, including those that Playwright Test adds. */
function stripContextOptions(owner: object): void {
  const internals = owner as PlaywrightObject;
  const instrumentation = internals._instrumentation;
  if (instrumentation === undefined) throw new Error(UNSUPPORTED);
  internals._instrumentation = new Proxy(instrumentation, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'runBeforeCreateRequestContext' && name !== 'runBeforeCreateBrowserContext') return member;
      return async (options: ContextOptions) => {
        await (member as (options: ContextOptions) => Promise<void>)(options);
        delete options.httpCredentials;
        if (options.extraHTTPHeaders) options.extraHTTPHeaders = stripHeaders(options.extraHTTPHeaders);
      };
    },
  });
}

type ResponseListener = ((response: IncomingMessage) => void) | undefined;

/** Strips the header from Node's requests. Node adds one if a redirect leads to a URL with a user. */
function stripNodeRequests(node: typeof http | typeof https): void {
  const { request } = node as typeof http;
  const send = (...args: unknown[]) => {
    const [first, second] = args;
    const url = typeof first === 'string' ? new URL(first) : first instanceof URL ? first : undefined;
    const options: unknown = url === undefined ? first : second;
    const merged = { ...(url && urlToHttpOptions(url)), ...(options as RequestOptions | undefined) };
    const { headers = {} } = merged;
    const clean = Array.isArray(headers) ? stripPairs(headers.flat()) : stripHeaders(headers as Headers);
    const onResponse = args.find((one) => typeof one === 'function');
    return request({ ...merged, auth: null, headers: clean }, onResponse as ResponseListener);
  };
  node.request = send;
  node.get = (...args: unknown[]) => {
    const outgoing = send(...args);
    outgoing.end();
    return outgoing;
  };
}

function stripFetch(): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.delete('authorization');
    return fetch(request);
  };
}

/** Strips the header before the request, so that traces do not contain it either. */
function stripRequests(requests: object): void {
  const internals = requests as RequestInternals;
  const send = internals._innerFetch?.bind(internals);
  if (send === undefined) throw new Error(UNSUPPORTED);
  internals._innerFetch = (options) => {
    const headers = options.headers ?? options.request?.headers();
    return send({ ...options, ...(headers && { headers: stripHeaders(headers) }) });
  };
}

/** Strips the header from extra headers: the handshake of a WebSocket cannot be intercepted. */
function stripExtraHeaders(owner: { setExtraHTTPHeaders(headers: Headers): Promise<void> }): void {
  const set = owner.setExtraHTTPHeaders.bind(owner);
  owner.setExtraHTTPHeaders = (headers) => set(stripHeaders(headers));
}

/** Intercepts all requests of the browser, after changes by routes, including workers and redirects. */
async function stripBrowserRequests(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  session.on('Fetch.requestPaused', ({ requestId, request: { headers, url } }) => {
    const hasHeader = Object.keys(headers).some(isAuthorization);
    const remaining = Object.entries(stripHeaders(headers)).map(([name, value]) => ({ name, value }));
    const changed = { ...(hasHeader && { headers: remaining }), ...withoutUser(url) };
    // A closing browser accepts no messages.
    session.send('Fetch.continueRequest', { requestId, ...changed }).catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

/** Returns a URL without its user, which would create the header; empty if it has none. */
function withoutUser(address: string): { readonly url?: string } {
  const url = parseUrl(address);
  if (url === undefined || (url.username === '' && url.password === '')) return {};
  url.username = '';
  url.password = '';
  return { url: url.href };
}

const stripPairs = (headers: readonly string[]): string[] =>
  headers.filter((_, index) => !isAuthorization(headers[index - (index % 2)] ?? ''));
const isAuthorization = (name: string) => name.toLowerCase() === 'authorization';
const stripHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isAuthorization(name)));

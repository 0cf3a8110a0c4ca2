/** Sends a request and follows its redirects, with a new connection and policy check for each hop. */
import { connectTo } from '../network/connect.ts';
import { type Deadline, roundMs } from '../network/deadline.ts';
import { type Endpoint, formatEndpoint, TargetFault } from '../network/fault.ts';
import { CannotRun, type ClientCertificate, type RunContext } from '../types.ts';
import { getUrlBasicAuth } from './basic-auth.ts';
import { explainRejection, findClientCertificate, readClientCertificates } from './client-certificates.ts';
import { exchange, type OutgoingRequest } from './exchange.ts';
import { buildProxyHeaders, connectToProxy, openTunnel, resolveProxy } from './proxy.ts';
import { BadCertificate, startTls, type TlsFacts } from './tls.ts';
import type { Answer, Header, Hop, HttpExchange, HttpRequest, SentRequest } from './types.ts';

/** More redirects count as a loop. */
export const MAX_REDIRECTS = 10;
/** Headers that a redirect to another origin drops. */
const ORIGIN_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-length']);

/** Throws only CannotRun and the reason of the signal; faults of the target are returned. */
export async function sendRequest(
  request: HttpRequest,
  context: RunContext,
  deadline: Deadline,
): Promise<HttpExchange> {
  const { clock } = context;
  // Before the clock starts: reading them is no part of the response time.
  const certificates = await readClientCertificates(context);
  const start = clock.monotonic();
  const hops: Hop[] = [];
  let endpoint: Endpoint | undefined;
  const finish = (answer: Answer | undefined, fault: TargetFault | undefined): HttpExchange => ({
    hops,
    answer,
    fault: fault?.data,
    endpoint,
    totalMs: roundMs(clock.monotonic() - start),
  });
  let next = request;
  for (;;) {
    // Another origin may not expect the header, and must not join the trace.
    const isSameOrigin = next.url.origin === request.url.origin;
    const traceparent = isSameOrigin ? context.traceparent : undefined;
    const result = await sendHop(next, certificates, { ...context, traceparent }, deadline);
    hops.push(result.hop);
    const { answer, fault } = result;
    endpoint = result.endpoint;
    if (answer === undefined) return finish(undefined, fault);
    if (answer.status < 200) return finish(answer, createNoFinalResponseFault(answer.status, next.url));
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status);
    if (!isRedirect || request.followRedirects === false) return finish(answer, undefined);
    const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    if (location === undefined)
      return finish(
        answer,
        new TargetFault(
          'redirect',
          `${formatUrl(next.url)} answered ${answer.status} without a Location header`,
        ),
      );
    const redirectFault = findRedirectFault(location, next.url, hops.length);
    if (redirectFault !== undefined) return finish(answer, redirectFault);
    next = buildRedirectedRequest(next, answer.status, new URL(location, next.url));
  }
}

/** Without an upgrade request the final status is at least 200. */
function createNoFinalResponseFault(status: number, url: URL): TargetFault {
  const what = status === 101 ? 'switched protocols without a request' : 'sent no final response';
  return new TargetFault('malformed', `${formatUrl(url)} ${what}: status ${status}`);
}

/**
 * Returns the fault of an invalid redirect. The location is complete, because it is truncated only after masking
 * secrets.
 */
function findRedirectFault(location: string, from: URL, count: number): TargetFault | undefined {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to === undefined)
    return new TargetFault('redirect', `${formatUrl(from)} redirects to an invalid address: ${location}`);
  if (!/^https?:$/.test(to.protocol))
    return new TargetFault('redirect', `${formatUrl(from)} redirects to neither http nor https: ${location}`);
  if (count > MAX_REDIRECTS)
    return new TargetFault(
      'redirect',
      `redirected more than ${MAX_REDIRECTS} times, the last time from ${formatUrl(from)} to ${formatUrl(to)}`,
    );
  return undefined;
}

/** Follows browsers: 303 becomes GET, 301 and 302 turn POST into GET, 307 and 308 repeat the request. */
function buildRedirectedRequest(request: HttpRequest, status: number, url: URL): HttpRequest {
  const { method, headers, body, ...rest } = request;
  const isGet =
    (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
  const isOtherOrigin = url.origin !== request.url.origin;
  if (url.hash === '') url.hash = request.url.hash;
  return {
    ...rest,
    url,
    method: isGet ? 'GET' : method,
    headers: headers.filter(([name]) => {
      const lower = name.toLowerCase();
      return (
        lower !== 'host' &&
        !(isOtherOrigin && ORIGIN_HEADERS.has(lower)) &&
        !(isGet && BODY_HEADERS.has(lower))
      );
    }),
    ...(isGet ? {} : { body }),
  };
}

interface HopResult {
  readonly hop: Hop;
  readonly endpoint: Endpoint | undefined;
  readonly answer: Answer | undefined;
  readonly fault: TargetFault | undefined;
}

async function sendHop(
  request: HttpRequest,
  certificates: readonly ClientCertificate[],
  context: RunContext,
  deadline: Deadline,
): Promise<HopResult> {
  const { clock } = context;
  const { url, method } = request;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const proxy = resolveProxy(url, context);
  // Found for each hop: a redirect to another host must not get it.
  const clientCertificate = isSecure ? findClientCertificate(certificates, host) : undefined;
  const start = clock.monotonic();
  const observed: { -readonly [Key in keyof Hop]?: Hop[Key] } & { endpoint?: Endpoint } = {};
  const phases: { -readonly [Key in keyof Hop['phases']]: Hop['phases'][Key] } = {
    dns: null,
    connect: null,
    tls: null,
    firstByte: null,
    download: null,
    total: 0,
  };
  const ended = (answer: Answer | undefined, fault: TargetFault | undefined): HopResult => ({
    hop: {
      url: formatUrl(url),
      method,
      status: answer?.status ?? null,
      address: observed.endpoint ? formatEndpoint(observed.endpoint.address, observed.endpoint.port) : null,
      proxy: proxy?.displayUrl ?? null,
      tls: observed.tls ?? null,
      notes: observed.notes ?? [],
      phases: { ...phases, total: roundMs(clock.monotonic() - start) },
    },
    answer,
    fault,
    endpoint: observed.endpoint,
  });
  try {
    let socket = await (async () => {
      if (proxy !== undefined) {
        const open = await connectToProxy(proxy, context, deadline);
        return isSecure ? openTunnel(open, proxy, { host, port }, deadline) : open;
      }
      const connected = await connectTo({ host, port, ipFamily: request.ipFamily }, context, deadline);
      observed.endpoint = { address: connected.address, port };
      observed.notes = connected.notes;
      phases.dns = connected.lookupMs === null ? null : roundMs(connected.lookupMs);
      phases.connect = roundMs(connected.connectMs);
      return connected.socket;
    })();
    if (isSecure) {
      const before = clock.monotonic();
      const tls = await startTls(
        socket,
        host,
        { skipSsl: request.skipSsl, clientCertificate },
        context,
        deadline,
      );
      phases.tls = roundMs(clock.monotonic() - before);
      observed.tls = tls.facts satisfies TlsFacts;
      socket = tls.socket;
    }
    const { answer, firstByteMs, downloadMs, notes } = await exchange(
      socket,
      buildOutgoingRequest(request, isSecure ? undefined : proxy, context.traceparent),
      deadline,
    );
    observed.notes = [...(observed.notes ?? []), ...notes];
    phases.firstByte = roundMs(firstByteMs);
    phases.download = roundMs(downloadMs);
    return ended(answer, undefined);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    if (error instanceof BadCertificate) observed.tls = error.facts;
    if (error.lastEndpoint && proxy === undefined) observed.endpoint = error.lastEndpoint;
    return ended(undefined, isSecure ? explainRejection(error, host, clientCertificate, clock.now()) : error);
  }
}

function buildOutgoingRequest(
  { url, method, headers, body, needsBody = true }: HttpRequest,
  proxy: ReturnType<typeof resolveProxy>,
  traceparent: string | undefined,
): OutgoingRequest {
  const givenNames = new Set(headers.map(([name]) => name.toLowerCase()));
  const user = getUrlBasicAuth(url);
  const defaults: Header[] = [
    ['Host', url.host],
    ['User-Agent', 'sonde'],
    ['Accept', '*/*'],
    ...(user === undefined ? [] : [['Authorization', user] as const]),
    ...(traceparent === undefined ? [] : [['traceparent', traceparent] as const]),
  ];
  const path = `${url.pathname}${url.search}`;
  return {
    method,
    body,
    needsBody,
    name: url.host,
    path: proxy === undefined ? path : `${url.protocol}//${url.host}${path}`,
    headers: [
      ...defaults.filter(([name]) => !givenNames.has(name.toLowerCase())),
      ...(proxy === undefined ? [] : buildProxyHeaders(proxy)),
      // Only sonde sets the headers that frame the message.
      ...headers.filter(([name]) => !/^(?:connection|content-length|transfer-encoding)$/i.test(name)),
    ],
  };
}

/** Returns the request as a result shows it. */
export function toSentRequest({ url, body: _, ...rest }: HttpRequest): SentRequest {
  return { ...rest, url: formatUrl(url) };
}

/** Formats a URL without user and password. */
export function formatUrl(url: URL): string {
  if (url.username === '' && url.password === '') return url.href;
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy.href;
}

/** Throws CannotRun unless it is an HTTP URL. */
export function parseTargetUrl(target: string): URL {
  const text = target.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new CannotRun(
    `the url ${JSON.stringify(text.slice(0, 200))} is not an HTTP URL: use a URL such as https://example.com/path`,
  );
}

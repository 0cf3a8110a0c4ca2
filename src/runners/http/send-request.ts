/** A request with all its redirects, each hop connected to anew and judged anew. */
import { connectTo } from '../network/connect.ts';
import { type Deadline, roundMs } from '../network/deadline.ts';
import { type Endpoint, formatEndpoint, TargetFault } from '../network/fault.ts';
import type { RunContext } from '../types.ts';
import { basicOf } from './basic-auth.ts';
import { exchange, type Line } from './exchange.ts';
import { connectToProxy, proxyFor, proxyHeaders, tunnel } from './proxy.ts';
import { BadCertificate, secure, type TlsFacts } from './tls.ts';
import type { Answer, Exchanged, Header, Hop, HttpRequest, SentRequest } from './types.ts';

/** More redirects are a loop. */
export const MOST_REDIRECTS = 10;
/** Sent to whom the check names, and not to whom an answer names. */
const OF_THE_ORIGIN = new Set(['authorization', 'cookie', 'proxy-authorization']);
const OF_THE_BODY = new Set(['content-type', 'content-encoding', 'content-language', 'content-length']);

/** Throws CannotRun and the signal's reason alone: what the target does is told. */
export async function follow(
  request: HttpRequest,
  context: RunContext,
  deadline: Deadline,
): Promise<Exchanged> {
  const { clock } = context;
  const start = clock.monotonic();
  const hops: Hop[] = [];
  let endpoint: Endpoint | undefined;
  const told = (answer: Answer | undefined, fault: TargetFault | undefined): Exchanged => ({
    ...{ hops, answer, fault: fault?.data, endpoint },
    totalMs: roundMs(clock.monotonic() - start),
  });
  let next = request;
  for (;;) {
    const attempted = await hop(next, context, deadline);
    hops.push(attempted.hop);
    const { answer, fault } = attempted;
    endpoint = attempted.endpoint;
    if (answer === undefined) return told(undefined, fault);
    if (answer.status < 200) return told(answer, noFinalResponse(answer.status, next.url));
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status);
    if (!isRedirect || request.followRedirects === false) return told(answer, undefined);
    const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
    if (location === undefined)
      return told(
        answer,
        new TargetFault(
          'redirect',
          `${shownUrl(next.url)} answered ${answer.status} without a Location header`,
        ),
      );
    const wrong = wrongRedirect(location, next.url, hops.length);
    if (wrong !== undefined) return told(answer, wrong);
    next = redirected(next, answer.status, new URL(location, next.url));
  }
}

/** A request that asks for no upgrade ends with a status of 200 or more. */
function noFinalResponse(status: number, url: URL): TargetFault {
  const what = status === 101 ? 'switched protocols without a request' : 'sent no final response';
  return new TargetFault('malformed', `${shownUrl(url)} ${what}: status ${status}`);
}

/** The location is whole in the message: it is cut after secrets are masked, since a part of a secret is not found. */
function wrongRedirect(location: string, from: URL, count: number): TargetFault | undefined {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to === undefined)
    return new TargetFault('redirect', `${shownUrl(from)} redirects to an invalid address: ${location}`);
  if (!/^https?:$/.test(to.protocol))
    return new TargetFault('redirect', `${shownUrl(from)} redirects to neither http nor https: ${location}`);
  if (count > MOST_REDIRECTS)
    return new TargetFault(
      'redirect',
      `redirected more than ${MOST_REDIRECTS} times, the last time from ${shownUrl(from)} to ${shownUrl(to)}`,
    );
  return undefined;
}

/** As browsers do it: 303 asks with GET, 301 and 302 make GET of POST, 307 and 308 send the same again. */
function redirected(request: HttpRequest, status: number, url: URL): HttpRequest {
  const { method, headers, body, ...rest } = request;
  const isGet =
    (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
  const isElsewhere = url.origin !== request.url.origin;
  if (url.hash === '') url.hash = request.url.hash;
  return {
    ...rest,
    url,
    method: isGet ? 'GET' : method,
    headers: headers.filter(([name]) => {
      const lower = name.toLowerCase();
      return (
        lower !== 'host' && !(isElsewhere && OF_THE_ORIGIN.has(lower)) && !(isGet && OF_THE_BODY.has(lower))
      );
    }),
    ...(isGet ? {} : { body }),
  };
}

interface Attempted {
  readonly hop: Hop;
  readonly endpoint: Endpoint | undefined;
  readonly answer: Answer | undefined;
  readonly fault: TargetFault | undefined;
}

async function hop(request: HttpRequest, context: RunContext, deadline: Deadline): Promise<Attempted> {
  const { clock } = context;
  const { url, method } = request;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const proxy = proxyFor(url, context);
  const start = clock.monotonic();
  const found: { -readonly [Key in keyof Hop]?: Hop[Key] } & { endpoint?: Endpoint } = {};
  const phases: { -readonly [Key in keyof Hop['phases']]: Hop['phases'][Key] } = {
    ...{ dns: null, connect: null, tls: null, firstByte: null, download: null, total: 0 },
  };
  const ended = (answer: Answer | undefined, fault: TargetFault | undefined): Attempted => ({
    hop: {
      ...{ url: shownUrl(url), method, status: answer?.status ?? null },
      address: found.endpoint ? formatEndpoint(found.endpoint.address, found.endpoint.port) : null,
      ...{ proxy: proxy?.shown ?? null, tls: found.tls ?? null },
      ...{ notes: found.notes ?? [], phases: { ...phases, total: roundMs(clock.monotonic() - start) } },
    },
    ...{ answer, fault, endpoint: found.endpoint },
  });
  try {
    let socket = await (async () => {
      if (proxy !== undefined) {
        const open = await connectToProxy(proxy, context, deadline);
        return isSecure ? tunnel(open, proxy, { host, port }, deadline) : open;
      }
      const connected = await connectTo({ host, port, ipFamily: request.ipFamily }, context, deadline);
      found.endpoint = { address: connected.address, port };
      found.notes = connected.notes;
      phases.dns = connected.lookupMs === null ? null : roundMs(connected.lookupMs);
      phases.connect = roundMs(connected.connectMs);
      return connected.socket;
    })();
    if (isSecure) {
      const before = clock.monotonic();
      const secured = await secure(socket, host, request.skipSsl === true, context, deadline);
      phases.tls = roundMs(clock.monotonic() - before);
      found.tls = secured.facts satisfies TlsFacts;
      socket = secured.socket;
    }
    const { answer, firstByteMs, downloadMs } = await exchange(
      socket,
      lineOf(request, isSecure ? undefined : proxy),
      deadline,
    );
    phases.firstByte = roundMs(firstByteMs);
    phases.download = roundMs(downloadMs);
    return ended(answer, undefined);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    if (error instanceof BadCertificate) found.tls = error.facts;
    if (error.lastEndpoint && proxy === undefined) found.endpoint = error.lastEndpoint;
    return ended(undefined, error);
  }
}

function lineOf({ url, method, headers, body }: HttpRequest, proxy: ReturnType<typeof proxyFor>): Line {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const user = basicOf(url);
  const defaults: Header[] = [
    ['Host', url.host],
    ['User-Agent', 'sonde'],
    ['Accept', '*/*'],
    ...(user === undefined ? [] : [['Authorization', user] as const]),
  ];
  const path = `${url.pathname}${url.search}`;
  return {
    ...{ method, body, name: url.host },
    path: proxy === undefined ? path : `${url.protocol}//${url.host}${path}`,
    headers: [
      ...defaults.filter(([name]) => !given.has(name.toLowerCase())),
      ...(proxy === undefined ? [] : proxyHeaders(proxy)),
      // What frames the message is ours to say.
      ...headers.filter(([name]) => !/^(?:connection|content-length|transfer-encoding)$/i.test(name)),
    ],
  };
}

/** The request as a result shows it. */
export function sentRequest({ url, body: _, ...rest }: HttpRequest): SentRequest {
  return { ...rest, url: shownUrl(url) };
}

/** An address as it may be shown: without user and password. */
export function shownUrl(url: URL): string {
  if (url.username === '' && url.password === '') return url.href;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

/** Sends a request and follows its redirects, with a new connection and policy check for each hop. */
import { urlProblem } from '../../contract/sendable.ts';
import { type ClientCertificate, InvalidCheck, type RunContext } from '../core/runner.ts';
import { connectTo } from '../network/connect.ts';
import { type Deadline, roundMs } from '../network/deadline.ts';
import { type Endpoint, formatEndpoint, TargetFault } from '../network/fault.ts';
import { getUrlBasicAuth } from './basic-auth.ts';
import { explainRejection, findClientCertificate, readClientCertificates } from './client-certificates.ts';
import { exchange, type OutgoingRequest } from './exchange.ts';
import { buildProxyHeaders, connectToProxy, openTunnel, resolveProxy } from './proxy.ts';
import { findLocation, followRedirect, formatUrl, isRedirect } from './redirect.ts';
import { toRequestTarget } from './request-target.ts';
import { createRunCookies } from './run-cookies.ts';
import { BadCertificate, startTls, type TlsFacts } from './tls.ts';
import type { Answer, Header, Hop, HttpExchange, HttpRequest, SentRequest } from './types.ts';

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
  const cookies = createRunCookies();
  const finish = (answer?: Answer, fault?: TargetFault, lacksLocation = false): HttpExchange => ({
    hops,
    answer,
    fault: fault?.data,
    lacksLocation,
    endpoint,
    totalMs: roundMs(clock.monotonic() - start),
  });
  let next = request;
  for (;;) {
    // Another origin may not expect the header, and must not join the trace.
    const isSameOrigin = next.url.origin === request.url.origin;
    const traceparent = isSameOrigin ? context.traceparent : undefined;
    const result = await sendHop(cookies.addTo(next), certificates, { ...context, traceparent }, deadline);
    hops.push(result.hop);
    const { answer, fault } = result;
    endpoint = result.endpoint;
    if (answer === undefined) return finish(undefined, fault);
    if (answer.status < 200) return finish(answer, createNoFinalResponseFault(answer.status, next));
    if (!isRedirect(answer) || request.followRedirects === false) return finish(answer);
    const location = findLocation(answer);
    if (location === undefined) return finish(answer, undefined, true);
    const following = followRedirect(next, answer.status, location, hops.length, context.secrets ?? []);
    if (following instanceof TargetFault) return finish(answer, following);
    await cookies.store(next, answer);
    next = following;
  }
}

/** Without an upgrade request the final status is at least 200. */
function createNoFinalResponseFault(status: number, request: HttpRequest): TargetFault {
  const what = status === 101 ? 'switched protocols without a request' : 'sent no final response';
  return new TargetFault('malformed', `${formatUrl(request)} ${what}: status ${status}`);
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
      url: formatUrl(request),
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
    let hasEndAlert: (() => boolean) | undefined;
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
      ({ socket, hasEndAlert } = tls);
    }
    const { answer, firstByteMs, downloadMs, notes } = await exchange(
      socket,
      { ...buildOutgoingRequest(request, isSecure ? undefined : proxy, context.traceparent), hasEndAlert },
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
  { url, target, method, headers, body, needsBody = true }: HttpRequest,
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
  return {
    method,
    body,
    needsBody,
    name: url.host,
    path: proxy === undefined ? target : `${url.protocol}//${url.host}${target}`,
    headers: [
      ...defaults.filter(([name]) => !givenNames.has(name.toLowerCase())),
      ...(proxy === undefined ? [] : buildProxyHeaders(proxy)),
      // Only sonde sets the headers that frame the message.
      ...headers.filter(([name]) => !/^(?:connection|content-length|transfer-encoding)$/i.test(name)),
    ],
  };
}

/** Returns the request as a result shows it. */
export function toSentRequest({
  url,
  target,
  body: _,
  lockedHeaders: __,
  ...rest
}: HttpRequest): SentRequest {
  return { ...rest, url: formatUrl({ url, target }) };
}

/** Parses the URL of a check. Throws InvalidCheck unless it is an HTTP URL. */
export function parseTargetUrl(text: string): Pick<HttpRequest, 'url' | 'target'> {
  const problem = urlProblem(text);
  if (problem !== undefined)
    throw new InvalidCheck(`the url ${JSON.stringify(text.trim().slice(0, 200))} ${problem}`);
  const url = new URL(text.trim());
  return { url, target: toRequestTarget(url, text) };
}

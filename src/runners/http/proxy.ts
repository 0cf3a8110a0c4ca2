/** Through a proxy: a tunnel for https, the request itself for http. A proxy that fails is no fault of the target. */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connectTo } from '../network/connect.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { formatEndpoint, TargetFault } from '../network/fault.ts';
import { CannotRun, type RunContext } from '../types.ts';
import { getUrlBasicAuth } from './basic-auth.ts';
import { startTls } from './tls.ts';
import type { Header } from './types.ts';

export interface Proxy {
  readonly url: URL;
  /** Without its password. */
  readonly displayUrl: string;
}

/** The proxy by which an address is reached; undefined: directly. */
export function resolveProxy(
  target: URL,
  { proxyFor: getProxyUrl, denyAddress }: RunContext,
): Proxy | undefined {
  const written = getProxyUrl?.(target);
  if (written === undefined || written === '') return undefined;
  if (denyAddress !== undefined)
    throw new CannotRun(
      'this service denies some addresses to its checks, and cannot check the addresses that a proxy connects to',
    );
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CannotRun('the proxy must be a URL such as http://proxy.example:3128');
  return { url, displayUrl: `${url.protocol}//${url.host}` };
}

export function buildProxyHeaders({ url }: Proxy): Header[] {
  const user = getUrlBasicAuth(url);
  return user === undefined ? [] : [['Proxy-Authorization', user]];
}

/** Connects to the proxy. Throws CannotRun where it cannot be reached. */
export async function connectToProxy(proxy: Proxy, context: RunContext, deadline: Deadline): Promise<Socket> {
  const { url, displayUrl: shown } = proxy;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const port = Number(url.port) || (isSecure ? 443 : 80);
    const { socket } = await connectTo({ host, port }, context, deadline);
    return isSecure ? (await startTls(socket, host, false, context, deadline)).socket : socket;
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    throw new CannotRun(`the proxy ${shown} cannot be used: ${error.message}`);
  }
}

/** What a proxy answers where the target, and not itself, is to blame. */
const TARGET_FAULT_STATUSES = new Set([502, 503, 504]);

/** Has the proxy connect to the target; the socket then leads there. */
export function openTunnel(
  socket: Socket,
  proxy: Proxy,
  target: { readonly host: string; readonly port: number },
  deadline: Deadline,
): Promise<Socket> {
  const name = formatEndpoint(target.host, target.port);
  const timeoutError = () =>
    new TargetFault('timeout', `no connection to ${name} through the proxy within ${deadline.timeoutMs} ms`);
  return withTimeout<Socket>(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const connectRequest = request({
      method: 'CONNECT',
      path: name,
      setHost: false,
      headers: [['Host', name] as const, ...buildProxyHeaders(proxy)].flat(),
      createConnection: () => socket,
    });
    const fail = (status: number | undefined) =>
      settle.fail(
        TARGET_FAULT_STATUSES.has(status ?? 0)
          ? new TargetFault('unreachable', `${name} cannot be reached: the proxy answered ${status}`)
          : new CannotRun(`the proxy ${proxy.displayUrl} does not connect to ${name}: it answered ${status}`),
      );
    connectRequest.once('connect', ({ statusCode }, connected) => {
      if (statusCode === undefined || statusCode < 200 || statusCode > 299) return fail(statusCode);
      connected.on('error', () => {});
      return settle.succeed(connected as Socket);
    });
    connectRequest.once('response', ({ statusCode }) => fail(statusCode));
    connectRequest.on('error', (error) =>
      settle.fail(new CannotRun(`the proxy ${proxy.displayUrl} closed the connection: ${error.message}`)),
    );
    connectRequest.end();
    return () => socket.destroy();
  });
}

/** What the usual variables of an environment say: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in either case. */
export function createProxyLookup(
  env: Readonly<Record<string, string | undefined>>,
): (target: URL) => string | undefined {
  const read = (name: string) => env[name] || env[name.toLowerCase()] || undefined;
  const exempt = (read('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return (target) => {
    if (exempt.some((entry) => isExempt(target, entry.toLowerCase()))) return undefined;
    return target.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  };
}

/** `*`, `example.com` and all below it, `.example.com`, each also with a port. */
function isExempt({ hostname, port, protocol }: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, name = entry, of] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (of !== undefined && of !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
  const bare = name.replace(/^\*?\./, '');
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === bare.replace(/^\[|\]$/g, '') || host.endsWith(`.${bare}`);
}

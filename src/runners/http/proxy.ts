/**
 * Connects through a proxy: a tunnel for https, an absolute request for http. A failing proxy is not the target's
 * fault.
 */

import { request } from 'node:http';
import type { Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { parseProxy } from '../../base/proxy.ts';
import { CannotRun, type RunContext } from '../core/runner.ts';
import { connectTo } from '../network/connect.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { formatEndpoint, TargetFault } from '../network/fault.ts';
import { getUrlBasicAuth } from './basic-auth.ts';
import { startTls } from './tls.ts';
import type { Header } from './types.ts';

export interface Proxy {
  readonly url: URL;
  /** The URL without its password. */
  readonly displayUrl: string;
}

/** Returns the proxy for a target; undefined for a direct connection. */
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
  const parsed = parseProxy(written);
  if ('problem' in parsed) throw new CannotRun(`the setting of the proxy ${parsed.problem}`);
  const { url } = parsed;
  return { url, displayUrl: `${url.protocol}//${url.host}` };
}

export function buildProxyHeaders({ url }: Proxy): Header[] {
  const user = getUrlBasicAuth(url);
  return user === undefined ? [] : [['Proxy-Authorization', user]];
}

/** Connects to the proxy. Throws CannotRun if it is unreachable. */
export async function connectToProxy(proxy: Proxy, context: RunContext, deadline: Deadline): Promise<Socket> {
  const { url, displayUrl } = proxy;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  try {
    const port = Number(url.port) || (isSecure ? 443 : 80);
    const { socket } = await connectTo({ host, port }, context, deadline);
    return isSecure ? (await startTls(socket, host, {}, context, deadline)).socket : socket;
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    throw new CannotRun(`the proxy ${displayUrl} cannot be used: ${error.message}`);
  }
}

/** Proxy statuses that mean that the target failed. */
const TARGET_FAULT_STATUSES = new Set([502, 503, 504]);

/** Opens a tunnel; the returned socket leads to the target. */
export function openTunnel(
  socket: Socket,
  proxy: Proxy,
  target: { readonly host: string; readonly port: number },
  deadline: Deadline,
): Promise<Socket> {
  const name = formatEndpoint(target.host, target.port);
  const timeoutError = () =>
    new TargetFault(
      'timeout',
      `no connection to ${name} through the proxy within ${formatLongDuration(deadline.timeoutMs)}`,
    );
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

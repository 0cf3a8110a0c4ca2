/** Serves `/metrics` without a key on an address of its own (`--metrics-listen`). */
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../../base/ip-addresses.ts';
import { type BoundAddress, type ListenAddress, listen } from './listen.ts';
import type { MetricsReport } from './metrics-report.ts';

/** Prometheus needs one connection, or a few with several servers. */
const MAX_CONNECTIONS = 20;
const TIMEOUT_MS = 10_000;

export interface MetricsListener extends BoundAddress {
  close(): void;
}

/** Returns whether a Host is an IP address or localhost. A web page that rebinds its domain to this machine fails this. */
function isAddressHost(header = ''): boolean {
  const host = header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || isIP(host) !== 0;
}

/**
 * Starts to listen. Throws UsageError if the address is not available. `scope` returns the checks with series for each
 * request.
 */
export async function openMetricsListener(
  at: ListenAddress,
  { contentType, render }: MetricsReport,
  scope: () => Promise<'all' | 'none'>,
  onError: (message: string, error: unknown) => void,
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    const send = (status: number, type: string, text: string | Buffer) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
    const refuse = (status: number, text: string) => {
      // The body, if there is one, is not read.
      response.setHeader('connection', 'close');
      send(status, 'text/plain; charset=utf-8', `${text}\n`);
    };
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    if (!isGet || request.url?.split('?')[0] !== '/metrics')
      return refuse(404, 'This address serves only GET /metrics');
    if (isLoopback(request.socket.localAddress ?? '') && !isAddressHost(request.headers.host))
      return refuse(403, 'Name the host by its address or as localhost');
    return scope()
      .then(render)
      .then(
        (text) => void send(200, contentType, text),
        (error: unknown) => {
          onError('the metrics cannot be read', error);
          refuse(503, 'The metrics cannot be read: see the log of the service');
        },
      );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = TIMEOUT_MS;
  server.setTimeout(TIMEOUT_MS);
  const bound = await listen(server, at, '--metrics-listen');
  return {
    ...bound,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

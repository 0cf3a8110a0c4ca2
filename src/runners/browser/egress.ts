/** Proxies the traffic of a cell without a network, and connects only to allowed addresses. */

import { createServer, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { parseUrl } from '../../base/parse-url.ts';
import {
  AddressDenied,
  assertAllowed,
  connectIfAllowed,
  createAllowedLookup,
  type DenyAddress,
} from '../core/address-policy.ts';
import { REFUSAL_HEADER } from './protocol.ts';

export type Egress = ReturnType<typeof openEgress>;

/** Concurrent connections of one cell. */
const MAX_CONNECTIONS = 256;
const MAX_DENIALS = 50;
const CONNECT_MS = 30_000;
const PROXY_HEADERS = ['proxy-connection', 'proxy-authorization'];

/** Opens an HTTP proxy: CONNECT, and requests with absolute URLs. */
export function openEgress(denyAddress: DenyAddress) {
  const denials = new Map<string, string>();
  const blocked = new Set<string>();
  let allows = (_host: string, _port: number): boolean => true;
  const server = createServer({ keepAlive: false });
  server.maxConnections = MAX_CONNECTIONS;

  function recordDenial(host: string, error: unknown): void {
    if (error instanceof AddressDenied && denials.size < MAX_DENIALS) denials.set(host, error.message);
  }

  function isBlocked(host: string, port: number): boolean {
    if (allows(host, port)) return false;
    if (blocked.size < MAX_DENIALS) blocked.add(`${host}:${port}`);
    return true;
  }

  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    // Playwright's requests would take a refusal for the target's answer, and a script could pass: send none.
    const refuse = (status: string) =>
      headers[REFUSAL_HEADER] === undefined ? client.destroy() : client.end(`HTTP/1.1 ${status}\r\n\r\n`);
    const target = parseUrl(`http://${url}`);
    if (target === undefined) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const host = stripBrackets(target.hostname);
    const port = Number(/:(\d+)$/.exec(url)?.[1] ?? 443);
    if (isBlocked(host, port)) return void refuse('403 Forbidden');
    let upstream: Socket;
    try {
      upstream = connectIfAllowed(host, port, denyAddress);
    } catch (error) {
      recordDenial(host, error);
      return void refuse('403 Forbidden');
    }
    upstream.setTimeout(CONNECT_MS, () => upstream.destroy(new Error('no connection in time')));
    const onError = (error: Error) => {
      recordDenial(host, error);
      refuse(error instanceof AddressDenied ? '403 Forbidden' : '502 Bad Gateway');
    };
    upstream.once('error', onError);
    client.once('close', () => upstream.destroy());
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      upstream.off('error', onError);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      pipeline(client, upstream, () => {});
      pipeline(upstream, client, () => {});
    });
  });

  server.on('request', (incoming, reply) => {
    const target = parseUrl(incoming.url ?? '');
    if (target?.protocol !== 'http:') return void reply.writeHead(400).end();
    const host = stripBrackets(target.hostname);
    const port = Number(target.port || 80);
    if (isBlocked(host, port)) return void incoming.socket.destroy();
    // Without an answer the browser fails, as for an unreachable host. An error page would count as a success.
    const onError = (error: unknown) => {
      recordDenial(host, error);
      incoming.socket.destroy();
    };
    try {
      assertAllowed(host, port, denyAddress);
    } catch (error) {
      return onError(error);
    }
    const headers = Object.entries(incoming.headers).filter(([name]) => !PROXY_HEADERS.includes(name));
    const upstreamRequest = request({
      host,
      port: target.port || 80,
      method: incoming.method,
      path: `${target.pathname}${target.search}`,
      headers: Object.fromEntries(headers),
      setHost: false,
      agent: false,
      timeout: CONNECT_MS,
      lookup: createAllowedLookup(denyAddress, port),
    });
    upstreamRequest.once('error', onError);
    upstreamRequest.once('socket', (socket) => socket.once('connect', () => upstreamRequest.setTimeout(0)));
    upstreamRequest.once('timeout', () => upstreamRequest.destroy(new Error('no connection in time')));
    upstreamRequest.once('response', (upstreamResponse) => {
      reply.writeHead(
        upstreamResponse.statusCode ?? 502,
        upstreamResponse.statusMessage,
        upstreamResponse.headers,
      );
      pipeline(upstreamResponse, reply, () => {});
    });
    incoming.once('close', () => {
      if (!incoming.complete) upstreamRequest.destroy();
    });
    reply.once('close', () => upstreamRequest.destroy());
    pipeline(incoming, upstreamRequest, () => {});
    return undefined;
  });
  server.on('clientError', (_, socket) => socket.destroy());

  return {
    server,
    /** Lists the denied hosts, each once. */
    denied: () => [...denials].map(([host, why]) => ({ host, why })),
    /** Restricts the proxy to some hosts. `host`: lower case, an address without brackets. */
    restrict(to: (host: string, port: number) => boolean): void {
      allows = to;
    },
    /** Lists the requested hosts that the restriction blocked, as `host:port`. */
    blocked: () => [...blocked],
  };
}

const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

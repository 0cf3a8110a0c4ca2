/** The way out of a cell without a network: a proxy of ours that a browser is led through, which connects only where policy allows. */
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import {
  AddressDenied,
  assertAllowed,
  connectIfAllowed,
  createAllowedLookup,
  type DenyAddress,
} from '../address-policy.ts';
import { TELLING } from './protocol.ts';

export interface WayOut {
  /** Speaks HTTP as proxies do: CONNECT, and requests that name a whole address. */
  readonly server: Server;
  /** What was asked for and denied, each host once. */
  denied(): readonly { readonly host: string; readonly why: string }[];
  /** From now on leads to these hosts alone; without it, to all. `host`: in lower case, an address without brackets. */
  restrict(allows: (host: string, port: number) => boolean): void;
  /** Hosts that were asked for and are not among those, as `host:port`. */
  blocked(): readonly string[];
}

/** Connections of one cell at once. */
const MOST_CONNECTIONS = 256;
const MOST_DENIALS = 50;
/** How long a connection may take to be made, in ms. */
const CONNECT_MS = 30_000;
/** What a proxy is told and nobody else. */
const OF_PROXIES = ['proxy-connection', 'proxy-authorization'];

export function openWayOut(denyAddress: DenyAddress): WayOut {
  const denials = new Map<string, string>();
  const blocked = new Set<string>();
  let allows = (_host: string, _port: number): boolean => true;
  const server = createServer({ keepAlive: false });
  server.maxConnections = MOST_CONNECTIONS;

  function note(host: string, error: unknown): void {
    if (error instanceof AddressDenied && denials.size < MOST_DENIALS) denials.set(host, error.message);
  }

  function isBlocked(host: string, port: number): boolean {
    if (allows(host, port)) return false;
    if (blocked.size < MOST_DENIALS) blocked.add(`${host}:${port}`);
    return true;
  }

  server.on('connect', ({ url = '', headers }: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    // Playwright's requests take a refusal for the target's own answer, and a script could pass by it: they get none.
    const refuse = (status: string) =>
      headers[TELLING] === undefined ? client.destroy() : client.end(`HTTP/1.1 ${status}\r\n\r\n`);
    const target = URL.canParse(`http://${url}`) ? new URL(`http://${url}`) : undefined;
    if (target === undefined) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const host = bare(target.hostname);
    const port = Number(/:(\d+)$/.exec(url)?.[1] ?? 443);
    if (isBlocked(host, port)) return void refuse('403 Forbidden');
    let upstream: Socket;
    try {
      upstream = connectIfAllowed(host, port, denyAddress);
    } catch (error) {
      note(host, error);
      return void refuse('403 Forbidden');
    }
    upstream.setTimeout(CONNECT_MS, () => upstream.destroy(new Error('no connection in time')));
    const failed = (error: Error) => {
      note(host, error);
      refuse(error instanceof AddressDenied ? '403 Forbidden' : '502 Bad Gateway');
    };
    upstream.once('error', failed);
    client.once('close', () => upstream.destroy());
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      upstream.off('error', failed);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      pipeline(client, upstream, () => {});
      pipeline(upstream, client, () => {});
    });
  });

  server.on('request', (asked, answer) => {
    const target = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
    if (target?.protocol !== 'http:') return void answer.writeHead(400).end();
    const host = bare(target.hostname);
    if (isBlocked(host, Number(target.port || 80))) return void asked.socket.destroy();
    // Without an answer a browser fails, as it does where nothing can be reached: a page that says why would be a success.
    const failed = (error: unknown) => {
      note(host, error);
      asked.socket.destroy();
    };
    try {
      assertAllowed(host, denyAddress);
    } catch (error) {
      return failed(error);
    }
    const headers = Object.entries(asked.headers).filter(([name]) => !OF_PROXIES.includes(name));
    const onward = request({
      ...{ host, port: target.port || 80, method: asked.method, path: `${target.pathname}${target.search}` },
      ...{ headers: Object.fromEntries(headers), setHost: false, agent: false, timeout: CONNECT_MS },
      lookup: createAllowedLookup(denyAddress),
    });
    onward.once('error', failed);
    onward.once('socket', (socket) => socket.once('connect', () => onward.setTimeout(0)));
    onward.once('timeout', () => onward.destroy(new Error('no connection in time')));
    onward.once('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.headers);
      pipeline(answered, answer, () => {});
    });
    asked.once('close', () => {
      if (!asked.complete) onward.destroy();
    });
    answer.once('close', () => onward.destroy());
    pipeline(asked, onward, () => {});
    return undefined;
  });
  server.on('clientError', (_, socket) => socket.destroy());

  return {
    server,
    denied: () => [...denials].map(([host, why]) => ({ host, why })),
    restrict(to) {
      allows = to;
    },
    blocked: () => [...blocked],
  };
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

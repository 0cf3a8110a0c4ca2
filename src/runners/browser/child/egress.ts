/** Routes the connections of a script and its browser through the egress proxy of a cell without a network. */
import http, { type Agent, type RequestOptions } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import tls from 'node:tls';
import { REFUSAL_HEADER } from '../protocol.ts';
import type { Library } from './locate-playwright.ts';

/** The cell's own loopback, which needs no proxy. */
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'] as const;

/** Returns the proxy settings for browsers, whose default rule bypasses everything that looks like loopback. */
export const toBrowserProxy = (server: string) => ({
  server,
  bypass: ['<-loopback>', ...LOOPBACK_HOSTS].join(','),
});

/** Opens a port that leads to the socket, because browsers support no proxy on a socket. Returns its URL. */
export function openRelay(path: string): Promise<string> {
  const server = createServer((client) => {
    const out = connect(path);
    pipeline(client, out, () => {});
    pipeline(out, client, () => {});
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

/** Returns the proxy variables for programs that a script starts, such as curl. */
export const proxyVariables = (proxy: string): Readonly<Record<string, string>> => ({
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: LOOPBACK_HOSTS.join(','),
  no_proxy: LOOPBACK_HOSTS.join(','),
});

/** Routes Playwright's requests that belong to no browser through the proxy. */
export function proxyPlaywrightRequests({ request }: Library, proxy: string): void {
  const type = Object.getPrototypeOf(request) as Library['request'];
  const { newContext } = type;
  type.newContext = function (this: Library['request'], options) {
    return newContext.call(this, { proxy: toBrowserProxy(proxy), ...options });
  };
}

interface ConnectTarget {
  readonly host?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  readonly port?: string | number | null | undefined;
  readonly protocol?: string | null | undefined;
}
type ConnectCallback = (error: Error | null, socket?: Duplex) => void;

/** Routes Node's `http`, `https` and `fetch` through the proxy. Other connections cannot leave the cell. */
export async function proxyNode(proxy: string): Promise<void> {
  const { hostname, port } = new URL(proxy);

  function tunnel({ host, hostname: name, port: to }: ConnectTarget, done: ConnectCallback): void {
    const target = `${(name ?? host ?? '')
      .replace(/^(.*:.*)$/, '[$1]')
      .replace('[[', '[')
      .replace(']]', ']')}:${to}`;
    const connectRequest = http.request({
      host: hostname,
      port,
      method: 'CONNECT',
      path: target,
      headers: { [REFUSAL_HEADER]: '1' },
      agent: false,
    });
    connectRequest.once('error', (error) => done(error));
    connectRequest.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return done(null, socket);
      socket.destroy();
      const why = statusCode === 403 ? 'this service denies the address' : 'no response';
      return done(
        Object.assign(new Error(`connect ECONNREFUSED ${target}: ${why}`), { code: 'ECONNREFUSED' }),
      );
    });
    connectRequest.end();
  }

  function proxyAgent(agent: Agent, wrap: (options: RequestOptions, socket: Duplex) => Duplex): void {
    const open = agent as unknown as {
      createConnection: (options: RequestOptions, done: ConnectCallback) => Duplex | undefined;
    };
    const direct = open.createConnection;
    open.createConnection = function (options, done) {
      const { socketPath, host } = options;
      if (socketPath || isLoopback(host)) return direct.call(this, options, done);
      tunnel(options, (error, socket) => (socket ? done(null, wrap(options, socket)) : done(error)));
      return undefined;
    };
  }
  proxyAgent(http.Agent.prototype, (_, socket) => socket);
  proxyAgent(https.Agent.prototype, (options, socket) => connectTls(options, socket));

  // The first fetch creates the global dispatcher.
  await fetch('data:,');
  const globals = globalThis as {
    [dispatcher: symbol]: { constructor: new (options: object) => object } | undefined;
  };
  const key = Symbol.for('undici.globalDispatcher.1');
  const Dispatcher = globals[key]?.constructor;
  if (Dispatcher === undefined) return;
  globals[key] = new Dispatcher({
    connect(options: ConnectTarget & RequestOptions & { servername?: string }, done: ConnectCallback) {
      const to = options.port || (options.protocol === 'https:' ? 443 : 80);
      const finish: ConnectCallback = (error, socket) => {
        if (!socket) return done(error);
        if (options.protocol !== 'https:') return done(null, socket);
        const tlsSocket = connectTls({ ...options, ALPNProtocols: ['http/1.1'] } as RequestOptions, socket);
        tlsSocket.once('secureConnect', () => done(null, tlsSocket));
        tlsSocket.once('error', (failure) => done(failure));
        return undefined;
      };
      if (!isLoopback(options.hostname)) return tunnel({ ...options, port: to }, finish);
      const socket = connect({ host: options.hostname ?? 'localhost', port: Number(to) });
      socket.once('connect', () => finish(null, socket));
      socket.once('error', (error) => done(error));
      return undefined;
    },
  }) as never;
}

function connectTls(options: RequestOptions, socket: Duplex): tls.TLSSocket {
  const { host, hostname, servername } = options as RequestOptions & { servername?: string };
  const name = servername || hostname || host || '';
  return tls.connect({
    ...(options as tls.ConnectionOptions),
    socket: socket as Socket,
    // An address has no server name.
    ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
  });
}

const isLoopback = (host: string | null | undefined): boolean =>
  !host || LOOPBACK_HOSTS.some((own) => own === host.replace(/^\[|\]$/g, ''));

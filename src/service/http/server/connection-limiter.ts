/** Bounds what clients may hold open: connections, in all and from one address, and answers that they do not read. */
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { problemBody } from '../api/problem.ts';
import { rateLimitKey } from './client-address.ts';
import { isProcessing, MAX_PIPELINED, serializePipelinedRequests } from './pipelining.ts';
import { createSlowReaderDetector } from './slow-readers.ts';

export interface ConnectionLimits {
  /**
   * How many connections are open at once. One beyond is closed, and one from an address that has a quarter of them, unless it
   * is this machine's own, where a proxy may run, or a trusted proxy's. The last twentieth is reserved for this machine, so that
   * its operator gets through.
   */
  readonly connections: number;
  /** Bytes of answers that wait to be read, over all connections. Beyond it connections are closed (`unread.ts`). */
  readonly unreadBytes: number;
  /** After which a connection without any traffic is closed, in ms, unless the service works on a request of it. */
  readonly idleMs: number;
}

/** `idleMs` is longer than the longest wait for a completion (30 s). 1,024 files is the least that systems let a process open. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 1000,
  unreadBytes: 64 * 1024 * 1024,
  idleMs: 60_000,
};

const SWEEP_INTERVAL_MS = 1000;
const LOG_INTERVAL_MS = 60_000;
/** The share of connections that is reserved for this machine: one in this number. */
const RESERVED_SHARE = 20;

export interface ConnectionLimiterOptions {
  readonly limits: ConnectionLimits;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly isProxy: (address: string) => boolean;
  readonly warn: (about: object, message: string) => void;
}

/** Answers a connection on the bare socket, and closes it. */
function rejectConnection(socket: Socket, message: string): void {
  const body = JSON.stringify(problemBody(503, message));
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'retry-after: 10',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Calls `warn` with how often it was noticed since the last time: at once, then once a minute at most. */
function throttleWarning({ clock, warn }: ConnectionLimiterOptions, message: string): () => void {
  let count = 0;
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    count += 1;
    const now = clock.monotonic();
    if (now < next) return;
    warn({ count }, message);
    count = 0;
    next = now + LOG_INTERVAL_MS;
  };
}

/** Makes servers for Fastify, with these bounds, and closes what is left open with it. */
export function createConnectionLimiter(options: ConnectionLimiterOptions) {
  const { limits, isProxy } = options;
  const { connections, unreadBytes, idleMs } = limits;
  const maxPerAddress = Math.ceil(connections / 4);
  const reservedCount = Math.floor(connections / RESERVED_SHARE);
  /** Those of this machine that were let in beyond the rest, the oldest first. */
  const reservedSockets = new Set<Socket>();
  const openSockets = new Set<Socket>();
  const countByAddress = new Map<string, number>();
  let isClosing = false;
  const warnLimitReached = throttleWarning(
    options,
    `connections refused: the limit of ${connections} open connections is reached (--max-connections)`,
  );
  const warnAddressLimitReached = throttleWarning(
    options,
    `connections refused: one address has ${maxPerAddress} open connections, a quarter of --max-connections`,
  );
  const warnUnread = throttleWarning(options, 'connections closed: the clients do not read their responses');
  const warnPipelined = throttleWarning(
    options,
    `connections closed: more than ${MAX_PIPELINED} pipelined requests`,
  );

  /** Counts a connection of an address; undefined where it has too many. */
  function countConnection(socket: Socket): (() => void) | undefined {
    const address = socket.remoteAddress ?? '';
    const source = rateLimitKey(address);
    const count = (countByAddress.get(source) ?? 0) + 1;
    if (count > maxPerAddress && !isLoopback(address) && !isProxy(address)) return undefined;
    countByAddress.set(source, count);
    return () => {
      const left = (countByAddress.get(source) ?? 1) - 1;
      if (left === 0) countByAddress.delete(source);
      else countByAddress.set(source, left);
    };
  }

  /** Whether there is room. In the reserve, the oldest connection that the service does not work on makes it. */
  function admit(socket: Socket, closeIdle: () => void): boolean {
    if (reservedCount === 0 || openSockets.size < connections - reservedCount) return true;
    closeIdle();
    if (!isLoopback(socket.remoteAddress ?? '')) return false;
    if (reservedSockets.size >= reservedCount - 1) {
      const oldest = [...reservedSockets].find((socket) => !isProcessing(socket));
      if (oldest === undefined) return false;
      reservedSockets.delete(oldest);
      oldest.destroy();
    }
    reservedSockets.add(socket);
    socket.once('close', () => reservedSockets.delete(socket));
    return true;
  }

  function onConnection(socket: Socket, closeIdle: () => void): void {
    if (isClosing) {
      socket.destroy();
      return;
    }
    if (!admit(socket, closeIdle)) {
      rejectConnection(socket, `Too many open connections: the limit is ${connections}`);
      return;
    }
    const uncount = countConnection(socket);
    if (uncount === undefined) {
      warnAddressLimitReached();
      rejectConnection(socket, `Too many open connections from your address: the limit is ${maxPerAddress}`);
    } else {
      openSockets.add(socket);
      socket.once('close', () => {
        openSockets.delete(socket);
        uncount();
      });
    }
  }

  const selectSlowReaders = createSlowReaderDetector(options.clock, unreadBytes);
  function sweep(): void {
    for (const socket of selectSlowReaders(openSockets)) {
      warnUnread();
      socket.destroy();
    }
  }

  /** What nobody has asked anything over for a while makes room for who comes. */
  function createIdleCloser(server: Server): () => void {
    let next = Number.NEGATIVE_INFINITY;
    return () => {
      warnLimitReached();
      const now = options.clock.monotonic();
      if (now < next) return;
      next = now + SWEEP_INTERVAL_MS;
      server.closeIdleConnections();
    };
  }

  /** A client that reads nothing is idle, too: Node asks whether anything of what was written has left. */
  function onTimeout(socket: Socket): void {
    if (isProcessing(socket)) socket.setTimeout(idleMs);
    else {
      if (socket.writableLength > 0) warnUnread();
      socket.destroy();
    }
  }

  return {
    createServer(handle: RequestListener, http: ServerOptions): Server {
      const server = createServer(http, serializePipelinedRequests(handle, warnPipelined));
      server.maxConnections = connections;
      server.maxHeadersCount = 200;
      server.setTimeout(idleMs);
      const closeIdle = createIdleCloser(server);
      server.on('connection', (socket) => onConnection(socket, closeIdle));
      server.on('timeout', onTimeout);
      server.on('drop', closeIdle);
      return server;
    },
    /** Sweeps while the door is open. Ends connections when it closes over which nothing was asked: Node would wait for them. */
    attachTo(app: FastifyInstance): void {
      const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS);
      sweeping.unref();
      app.addHook('preClose', async () => {
        isClosing = true;
        clearInterval(sweeping);
        // A listener to what comes would cost each request: what has come is looked at here.
        for (const socket of openSockets) if (socket.bytesRead === 0) socket.destroy();
      });
    },
  };
}

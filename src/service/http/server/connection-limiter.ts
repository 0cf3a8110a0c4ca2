/** Limits open connections, in total and per address, pipelined requests, and responses that clients do not read. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { isLoopback } from '../../../base/ip-addresses.ts';
import { formatBareResponse, refuseRequest } from '../api/error-handler.ts';
import { rateLimitKey } from './client-address.ts';
import { stopReading } from './close-socket.ts';
import { BODY_LIMITS, continueWhenRead, createBodyLimiter, hasBody } from './request-bodies.ts';
import { createSlowReaderDetector } from './slow-readers.ts';

export const CONNECTION_LIMITS = {
  /**
   * Maximum number of open connections. Further ones are closed, as are those of an address that has a quarter of them, except
   * addresses of this machine, where a proxy may run, and of trusted proxies. The last twentieth is reserved for this
   * machine, so that its operator can connect. Every system lets a process open at least 1,024 files.
   */
  connections: 1000,
  /** Maximum unread response bytes over all connections. Beyond it, connections are closed (`slow-readers.ts`). */
  unreadBytes: 64 * 1024 * 1024,
  /**
   * Time without traffic, in ms, after which a connection is closed, unless the service is processing its request.
   * Exceeds the longest wait for a completion (30 s).
   */
  idleMs: 60_000,
  bodies: BODY_LIMITS,
};
export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>;

const SWEEP_INTERVAL_MS = 1000;
const LOG_INTERVAL_MS = 60_000;
/** One in this many connections is reserved for this machine. */
const RESERVED_SHARE = 20;

export interface ConnectionLimiterOptions {
  readonly limits: ConnectionLimits;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly isProxy: (address: string) => boolean;
  readonly warn: (about: object, message: string) => void;
}

/** Maximum number of requests that may wait on one connection. Browsers and API clients do not pipeline. */
export const MAX_PIPELINED = 16;

const LAST_RESPONSE = Symbol('last answer');
const WAITING_COUNT = Symbol('requests that wait');
// Fields on the socket, because a WeakMap would cost more than the rest of this code.
type Connection = Socket & { [LAST_RESPONSE]?: ServerResponse; [WAITING_COUNT]?: number };

/**
 * Returns a function that starts the requests of a connection one after the other. Node emits all requests of a packet at
 * once, and starting them all would buffer all their responses. A connection with more than `MAX_PIPELINED` requests is
 * closed, without parsing the others, and `onTooMany` is called.
 */
function createPipelineGuard(onTooMany: () => void) {
  return (request: IncomingMessage, response: ServerResponse, handle: RequestListener): void => {
    const socket: Connection = request.socket;
    // A remaining request of a packet whose connection was closed, or ends with another response.
    if (!socket.writable) return;
    const before = socket[LAST_RESPONSE];
    const waiting = (socket[WAITING_COUNT] ?? 0) + 1;
    if (waiting > MAX_PIPELINED) {
      onTooMany();
      stopReading(socket);
      socket.destroy();
      return;
    }
    socket[LAST_RESPONSE] = response;
    if (before === undefined || before.writableFinished) {
      handle(request, response);
      return;
    }
    socket[WAITING_COUNT] = waiting;
    socket.pause();
    before.once('close', () => {
      socket[WAITING_COUNT] = (socket[WAITING_COUNT] ?? 1) - 1;
      if (!socket.writable) return;
      if (socket[WAITING_COUNT] === 0) socket.resume();
      handle(request, response);
    });
  };
}

/**
 * Wraps the listener of a server: a request with a body starts when the rest of its packet is parsed. A short body has
 * arrived by then, so that a refusal need not end the connection, which crashes clients with undici if they do not read
 * the response (https://github.com/nodejs/undici/issues/5360).
 */
const startAfterPacket =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    if (hasBody(request)) setImmediate(handle, request, response);
    else handle(request, response);
  };

const isWithoutHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === '1.1';

const refuseWithoutHost: RequestListener = (_, response) =>
  refuseRequest(response, 400, 'The header Host is required');
const refuseExpectation: RequestListener = (_, response) =>
  refuseRequest(response, 417, 'The header Expect may only be 100-continue');

/** Returns whether the service is processing a request of the connection and has not started to respond. */
function isProcessing(socket: Socket): boolean {
  const last = (socket as Connection)[LAST_RESPONSE];
  return last !== undefined && !last.writableFinished && socket.writableLength === 0;
}

function rejectConnection(socket: Socket, message: string): void {
  socket.end(formatBareResponse(503, message, ['retry-after: 10']), () => socket.destroy());
}

/**
 * Returns a function that logs a warning with the number of calls since the last warning: at once, then at most once a
 * minute.
 */
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

/** Creates HTTP servers with these limits for Fastify, and closes idle connections when the app closes. */
export function createConnectionLimiter(options: ConnectionLimiterOptions) {
  const { limits, isProxy } = options;
  const { connections, unreadBytes, idleMs, bodies } = limits;
  const maxPerAddress = Math.ceil(connections / 4);
  const reservedCount = Math.floor(connections / RESERVED_SHARE);
  /** Connections of this machine in the reserve, oldest first. */
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

  const warnBodies = throttleWarning(
    options,
    'connections closed: request bodies are too large together or in too many small chunks',
  );
  const limitBody = createBodyLimiter(bodies, warnBodies);

  /** Counts a connection of an address. Returns the function that uncounts it; undefined if the address has too many. */
  function countConnection(socket: Socket): (() => void) | undefined {
    const address = socket.remoteAddress ?? '';
    const key = rateLimitKey(address);
    const count = (countByAddress.get(key) ?? 0) + 1;
    if (count > maxPerAddress && !isLoopback(address) && !isProxy(address)) return undefined;
    countByAddress.set(key, count);
    return () => {
      const remaining = (countByAddress.get(key) ?? 1) - 1;
      if (remaining === 0) countByAddress.delete(key);
      else countByAddress.set(key, remaining);
    };
  }

  /** Returns whether there is room. If the reserve is full, its oldest connection that is not being processed is closed. */
  function admit(socket: Socket, closeIdle: () => void): boolean {
    if (reservedCount === 0 || openSockets.size < connections - reservedCount) return true;
    closeIdle();
    if (!isLoopback(socket.remoteAddress ?? '')) return false;
    if (reservedSockets.size >= reservedCount - 1) {
      const oldest = [...reservedSockets].find((candidate) => !isProcessing(candidate));
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

  /** Returns a function that closes idle keep-alive connections, at most once per sweep interval. */
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

  /** Closes an idle connection. A client that reads nothing also counts as idle, because Node looks at bytes that have left. */
  function onTimeout(socket: Socket): void {
    if (isProcessing(socket)) socket.setTimeout(idleMs);
    else {
      if (socket.writableLength > 0) warnUnread();
      socket.destroy();
    }
  }

  return {
    createServer(listener: RequestListener, http: ServerOptions): Server {
      const start = createPipelineGuard(warnPipelined);
      const handle = startAfterPacket(listener);
      const onRequest: RequestListener = (request, response) => {
        limitBody(request, response);
        start(request, response, isWithoutHost(request) ? refuseWithoutHost : handle);
      };
      // Node would answer requests without a host before any listener could count them.
      const server = createServer({ ...http, requireHostHeader: false }, onRequest);
      server.on('checkContinue', (request, response) => {
        continueWhenRead(request, response);
        onRequest(request, response);
      });
      server.on('checkExpectation', (request, response) => {
        limitBody(request, response);
        start(request, response, refuseExpectation);
      });
      server.maxConnections = connections;
      server.maxHeadersCount = 200;
      server.setTimeout(idleMs);
      const closeIdle = createIdleCloser(server);
      server.on('connection', (socket) => onConnection(socket, closeIdle));
      server.on('timeout', onTimeout);
      server.on('drop', closeIdle);
      return server;
    },
    /** Sweeps until the app closes. Then closes connections without any request, for which Node would wait. */
    attachTo(app: FastifyInstance): void {
      const sweepTimer = setInterval(sweep, SWEEP_INTERVAL_MS);
      sweepTimer.unref();
      app.addHook('preClose', async () => {
        isClosing = true;
        clearInterval(sweepTimer);
        // Counting requests in a listener would slow down each request, so received bytes are checked here.
        for (const socket of openSockets) if (socket.bytesRead === 0) socket.destroy();
      });
    },
  };
}

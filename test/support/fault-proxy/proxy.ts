/** A proxy on loopback in front of the service that does to connections and requests what a schedule says. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Authority } from './authority.ts';
import { type Exchange, type Fault, isOfConnection, play } from './faults.ts';
import { askService, eachRequest, type ProxiedRequest } from './requests.ts';

/** What happens, in turn: each step befalls one connection or one request; when all are used up, `afterwards` befalls the rest. */
export interface Schedule {
  readonly steps: readonly Fault[];
  readonly afterwards: Fault;
}

export interface FaultProxy {
  /** `http://127.0.0.1:PORT`, or https. */
  readonly url: string;
  /** The steps that were played, in turn; those of `afterwards` are not counted. */
  readonly played: readonly Fault[];
  /** How many requests came. */
  readonly requests: () => number;
  /** When the first connection came, on `performance.now()`. */
  readonly firstSeen: () => number | undefined;
  readonly close: () => Promise<void>;
}

export interface FaultProxyOptions {
  /** The URL of what it stands in front of. */
  readonly service: string;
  readonly schedule: Schedule;
  /** With it the proxy speaks TLS. */
  readonly authority?: Authority | undefined;
}

/** Listens until it is closed. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { schedule, authority } = options;
  const service = new URL(options.service);
  const over = new AbortController();
  const sockets = new Set<Socket>();
  const played: Fault[] = [];
  let requests = 0;
  let firstSeen: number | undefined;
  let server: Server | undefined;
  let port = 0;

  const current = (): Fault => schedule.steps[played.length] ?? schedule.afterwards;
  const take = (): Fault => {
    const fault = current();
    if (played.length < schedule.steps.length) {
      played.push(fault);
      void refuseWhereDue().catch(() => {});
    }
    return fault;
  };

  const listen = async (): Promise<void> => {
    // Between closing and listening again somebody else may have been given the port for a moment.
    while (!over.signal.aborted) {
      const next = createServer((socket) => void accept(socket).catch(() => socket.destroy()));
      const stands = await new Promise<boolean>((resolve) => {
        next.once('error', () => resolve(false));
        next.listen(port, '127.0.0.1', () => resolve(true));
      });
      if (stands) {
        server = next;
        port = (next.address() as AddressInfo).port;
        return;
      }
      await delay(20, undefined, { signal: over.signal });
    }
  };
  /** A listener that is closed for a while: whoever connects then is refused. */
  const refuseWhereDue = async (): Promise<void> => {
    const fault = current();
    if (fault.name !== 'refused') return;
    server?.close();
    server = undefined;
    if (played.length === schedule.steps.length) return;
    await delay(fault.ms ?? 500, undefined, { signal: over.signal });
    await listen();
    take();
  };

  const accept = async (socket: Socket): Promise<void> => {
    firstSeen ??= performance.now();
    sockets.add(socket);
    const gone = new AbortController();
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      gone.abort();
    });
    socket.setNoDelay();
    const fault = current();
    const ofConnection = isOfConnection(fault) ? take().name : undefined;
    switch (ofConnection) {
      case 'refused':
      case 'hung up':
        socket.resetAndDestroy();
        return;
      case 'silence':
        socket.pause();
        return;
      case 'handshake cut':
        socket.once('data', () => socket.resetAndDestroy());
        return;
      case 'plaintext':
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
        return;
      default: {
        const identity = ofConnection ?? 'good';
        const stream = authority ? secured(socket, authority, identity) : socket;
        await eachRequest(stream, (request) => answer(request, socket, stream, gone.signal));
      }
    }
  };

  const answer = async (
    request: ProxiedRequest,
    socket: Socket,
    stream: Duplex,
    gone: AbortSignal,
  ): Promise<void> => {
    requests += 1;
    const fault = current();
    // It befalls the next connection; this one is of no use any more.
    if (isOfConnection(fault)) return void socket.resetAndDestroy();
    take();
    const exchange: Exchange = {
      request,
      gone,
      forward: () => askService(service, request, gone),
      look: () => askService(service, { ...request, path: lookedAt(request.path) }, gone),
      get isLast() {
        return isOfConnection(current());
      },
      write: (bytes) => void stream.write(bytes),
      end: () => void stream.end(),
      async reset() {
        // What was written is to arrive first: a reset overtakes it.
        await delay(5);
        socket.resetAndDestroy();
      },
    };
    // Where the service is away the connection breaks, as it would without a proxy.
    await play(fault, exchange).catch(() => socket.destroyed || socket.resetAndDestroy());
  };

  await listen();
  void refuseWhereDue().catch(() => {});
  return {
    url: `${authority ? 'https' : 'http'}://127.0.0.1:${port}`,
    played,
    requests: () => requests,
    firstSeen: () => firstSeen,
    async close() {
      over.abort();
      server?.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function secured(socket: Socket, authority: Authority, identity: string): TLSSocket {
  const secureContext = authority.contexts.get(identity) ?? authority.contexts.get('good');
  const stream = new TLSSocket(socket, { isServer: true, ...(secureContext ? { secureContext } : {}) });
  stream.on('error', () => socket.destroy());
  return stream;
}

/** The path without waiting. */
const lookedAt = (path: string): string => path.replace(/\/completion(\?.*)?$/, '');

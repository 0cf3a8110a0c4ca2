/** Serves the health probes of an agent (specification, Private location agent health probes), on its only port. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';

export interface HealthOptions {
  readonly port: number;
  /** False once shutdown begins. */
  readonly isReady: () => boolean;
  readonly isAlive: () => boolean;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Beyond this number, a new connection closes the oldest one: a real probe takes milliseconds. */
const MAX_CONNECTIONS = 100;
const PROBE_TIMEOUT_MS = 5000;

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
};

/** Listens for probes. Throws UsageError if the port is unavailable. */
export async function serveHealth({ port, isReady, isAlive }: HealthOptions): Promise<HealthServer> {
  const probes: Readonly<Record<string, () => boolean>> = {
    '/-/readiness': isReady,
    '/-/liveness': isAlive,
    '/health': () => true,
  };
  const timeouts = {
    headersTimeout: PROBE_TIMEOUT_MS,
    requestTimeout: PROBE_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
  };
  const server = createServer(timeouts, (request, response) => {
    const probe = probes[(request.url ?? '').split('?')[0] ?? ''];
    const respond = (status: number, text: string, extraHeaders = {}) => {
      const length = Buffer.byteLength(text);
      const headers = {
        'content-type': 'text/plain',
        'content-length': length,
        'cache-control': 'no-store',
        connection: 'close',
      };
      response.writeHead(status, { ...headers, ...extraHeaders });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    // Probes have no body: discard one without waiting for it.
    request.resume();
    if (probe === undefined) return respond(404, 'Not Found');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respond(405, 'Method Not Allowed', { allow: 'GET, HEAD' });
    return probe() ? respond(200, 'OK') : respond(503, 'Service Unavailable');
  });
  server.setTimeout(PROBE_TIMEOUT_MS);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS) oldest?.destroy();
  });
  await startListening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function startListening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = REASONS[error.code ?? ''] ?? error.message;
      reject(
        new UsageError(`the agent cannot listen for health probes on port ${port}: ${reason}`, {
          hint: 'set another port with AGENT_HEALTH_PORT or --health-port',
          cause: error,
        }),
      );
    });
    server.listen(port, () => {
      // An error of one connection must not end the others or the agent.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** Progress of the claim loop. Each of its steps has a time limit. */
export interface Liveness {
  /** Records progress and announces the next one within `withinMs`. */
  beat(withinMs: number): void;
  isAlive(): boolean;
}

/** Tolerance before the agent counts as stuck, in ms, for busy machines. */
const TOLERANCE_MS = 60_000;

export function createLiveness(clock: Pick<Clock, 'monotonic'>): Liveness {
  let nextBy = clock.monotonic();
  return {
    beat(withinMs) {
      nextBy = clock.monotonic() + withinMs;
    },
    isAlive: () => clock.monotonic() <= nextBy + TOLERANCE_MS,
  };
}

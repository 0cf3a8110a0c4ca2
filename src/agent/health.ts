/** The health probes (specification, Private location agent health probes): the one port that an agent opens. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { UsageError } from '../base/errors.ts';

export interface HealthOptions {
  readonly port: number;
  /** False from the moment that shutdown begins. */
  readonly isReady: () => boolean;
  readonly isAlive: () => boolean;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A probe takes milliseconds: whoever holds connections open loses the oldest to those who come. */
const MOST_CONNECTIONS = 100;
const PROBE_MS = 5000;

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
};

/** Listens. Throws UsageError where the port cannot be had. */
export async function serveHealth({ port, isReady, isAlive }: HealthOptions): Promise<HealthServer> {
  const answers: Readonly<Record<string, () => boolean>> = {
    '/-/readiness': isReady,
    '/-/liveness': isAlive,
    '/health': () => true,
  };
  const times = { headersTimeout: PROBE_MS, requestTimeout: PROBE_MS, connectionsCheckingInterval: 1000 };
  const server = createServer(times, (request, response) => {
    const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
    const end = (status: number, text: string, headers = {}) => {
      const length = Buffer.byteLength(text);
      const about = {
        'content-type': 'text/plain',
        'content-length': length,
        'cache-control': 'no-store',
        connection: 'close',
      };
      response.writeHead(status, { ...about, ...headers });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    // Nobody sends a body; who does is not waited for.
    request.resume();
    if (answer === undefined) return end(404, 'Not Found');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return end(405, 'Method Not Allowed', { allow: 'GET, HEAD' });
    return answer() ? end(200, 'OK') : end(503, 'Service Unavailable');
  });
  server.setTimeout(PROBE_MS);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MOST_CONNECTIONS) oldest?.destroy();
  });
  await listening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
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
      // What befalls one connection ends neither the others nor the agent.
      server.on('error', () => {});
      resolve();
    });
  });
}

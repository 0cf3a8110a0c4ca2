/** Listens on free ports of loopback. */
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../support/free-port.ts';

/** A server that listens. */
export interface Endpoint {
  readonly port: number;
  /** Ends it with all its connections. */
  readonly close: () => Promise<void>;
}

/** Starts a TCP server that calls `serve` for each connection. Both sides may end apart. */
export async function listenTcp(serve: (socket: Socket, port: number) => void): Promise<Endpoint> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    serve(socket, socket.localPort ?? 0);
  });
  return listen(server, await freePort());
}

/** Lets a server of Node listen on the port, and returns how to end it. */
export async function listen(server: Server, port: number): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Connections over which nothing was asked: Node counts them as busy, and a service that stops would wait for them for a minute. */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Ends them when the door closes; browsers and clients open such in advance. */
export function closeSilent(app: FastifyInstance): void {
  const open = new Set<Socket>();
  let isClosing = false;
  app.server.on('connection', (socket: Socket) => {
    if (isClosing) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return undefined;
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    // A listener to what comes would cost each request: what has come is looked at here.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

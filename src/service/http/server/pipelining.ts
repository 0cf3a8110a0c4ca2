/** Answers the requests of a connection one after another: a request that is pipelined costs no work before its turn. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait for the answers before them. Browsers and API clients pipeline none. */
export const MOST_PIPELINED = 16;

const LAST = Symbol('last answer');
const WAITING = Symbol('requests that wait');
// Fields of the socket: a WeakMap would cost more than all else that is done here.
type Connection = Socket & { [LAST]?: ServerResponse; [WAITING]?: number };

/**
 * Wraps the listener of a server. Node hands over all requests of a packet at once, before the answer to the first is sent: to
 * begin them all would queue all their answers. `onTooMany`: a connection was closed that pipelined more than `MOST_PIPELINED`.
 */
export function oneAfterAnother(handle: RequestListener, onTooMany: () => void): RequestListener {
  return (request, response) => {
    const socket: Connection = request.socket;
    // The rest of a packet whose connection was closed.
    if (socket.destroyed) return;
    const before = socket[LAST];
    socket[LAST] = response;
    if (before === undefined || before.writableFinished) {
      handle(request, response);
      return;
    }
    const waiting = (socket[WAITING] ?? 0) + 1;
    if (waiting > MOST_PIPELINED) {
      onTooMany();
      socket.destroy();
      return;
    }
    socket[WAITING] = waiting;
    socket.pause();
    before.once('close', () => {
      socket[WAITING] = (socket[WAITING] ?? 1) - 1;
      if (socket.destroyed) return;
      if (socket[WAITING] === 0) socket.resume();
      handle(request, response);
    });
  };
}

/** Whether the service works on a request of the connection, and has not begun to answer it. */
export function isAtWork(socket: Socket): boolean {
  const last = (socket as Connection)[LAST];
  return last !== undefined && !last.writableFinished && socket.writableLength === 0;
}

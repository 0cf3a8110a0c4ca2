/** Answers the requests of a connection one after another: a request that is pipelined costs no work before its turn. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may wait for the answers before them. Browsers and API clients pipeline none. */
export const MAX_PIPELINED = 16;

const LAST_RESPONSE = Symbol('last answer');
const WAITING_COUNT = Symbol('requests that wait');
// Fields of the socket: a WeakMap would cost more than all else that is done here.
type Connection = Socket & { [LAST_RESPONSE]?: ServerResponse; [WAITING_COUNT]?: number };

/**
 * Wraps the listener of a server. Node hands over all requests of a packet at once, before the answer to the first is sent: to
 * begin them all would queue all their answers. `onTooMany`: a connection was closed that pipelined more than `MOST_PIPELINED`.
 */
export function serializePipelinedRequests(handle: RequestListener, onTooMany: () => void): RequestListener {
  return (request, response) => {
    const socket: Connection = request.socket;
    // The rest of a packet whose connection was closed.
    if (socket.destroyed) return;
    const before = socket[LAST_RESPONSE];
    socket[LAST_RESPONSE] = response;
    if (before === undefined || before.writableFinished) {
      handle(request, response);
      return;
    }
    const waiting = (socket[WAITING_COUNT] ?? 0) + 1;
    if (waiting > MAX_PIPELINED) {
      onTooMany();
      socket.destroy();
      return;
    }
    socket[WAITING_COUNT] = waiting;
    socket.pause();
    before.once('close', () => {
      socket[WAITING_COUNT] = (socket[WAITING_COUNT] ?? 1) - 1;
      if (socket.destroyed) return;
      if (socket[WAITING_COUNT] === 0) socket.resume();
      handle(request, response);
    });
  };
}

/** Whether the service works on a request of the connection, and has not begun to answer it. */
export function isProcessing(socket: Socket): boolean {
  const last = (socket as Connection)[LAST_RESPONSE];
  return last !== undefined && !last.writableFinished && socket.writableLength === 0;
}

/** Processes the pipelined requests of a connection one after another. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of requests that may wait on one connection. Browsers and API clients do not pipeline. */
export const MAX_PIPELINED = 16;

const LAST_RESPONSE = Symbol('last answer');
const WAITING_COUNT = Symbol('requests that wait');
// Fields on the socket, because a WeakMap would cost more than the rest of this code.
type Connection = Socket & { [LAST_RESPONSE]?: ServerResponse; [WAITING_COUNT]?: number };

/**
 * Wraps the listener of a server. Node emits all requests of a packet at once, and starting them all would buffer all
 * their responses. `onTooMany` is called after a connection with more than `MAX_PIPELINED` requests was closed.
 */
export function serializePipelinedRequests(handle: RequestListener, onTooMany: () => void): RequestListener {
  return (request, response) => {
    const socket: Connection = request.socket;
    // A remaining request of a packet whose connection was closed.
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

/** Returns whether the service is processing a request of the connection and has not started to respond. */
export function isProcessing(socket: Socket): boolean {
  const last = (socket as Connection)[LAST_RESPONSE];
  return last !== undefined && !last.writableFinished && socket.writableLength === 0;
}

/** Closes connections so that clients can still read the last response, and what they still send costs nothing. */
import type { Socket } from 'node:net';

/** Time for a client to read the response, in ms, before its connection is closed to make room for others. */
const LINGER_MS = 1000;

/**
 * Ends the connection after `lastBytes`, and closes it a second later: a connection that is closed at once while its
 * client still sends is reset, and the client loses the response. Returns the timer, so that progress can restart it.
 */
export function endWithLinger(socket: Socket, lastBytes = ''): NodeJS.Timeout {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastBytes);
  return timer;
}

/** The parser of Node with its callbacks, by their number. Later connections reuse it. */
type Parser = Record<string, { readonly name?: string } | null | undefined>;

/**
 * Reads nothing more from a connection. Of what Node received last, up to 64 KB, the rest of the body is skipped: it may
 * consist of ten thousand chunks, each with a callback. Uses a private field of Node, and only pauses if it is absent.
 */
export function stopReading(socket: Socket): void {
  socket.pause();
  const { parser } = socket as Socket & { readonly parser?: Parser | null };
  if (!parser) return;
  for (const [number, callback] of Object.entries(parser)) {
    if (callback?.name !== 'parserOnBody') continue;
    parser[number] = undefined;
    socket.once('close', () => {
      parser[number] = callback;
    });
  }
}

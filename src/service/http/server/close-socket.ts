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

/** Node's parser: its callbacks by their number, and the listener for requests. Later connections reuse it. */
interface Parser {
  [callback: string]: unknown;
  onIncoming?: unknown;
}

/** What Node's parser takes as the answer for a request with an upgrade: the parser skips the rest of what it received. */
const SKIP_REST = 2;

/**
 * Reads nothing more from a connection. Of what Node received last, up to 64 KB, the rest is skipped: it may consist of
 * ten thousand chunks or three thousand requests, each with a callback. Uses private fields of Node, and only pauses if
 * they are absent.
 */
export function stopReading(socket: Socket): void {
  socket.pause();
  const { parser } = socket as Socket & { readonly parser?: Parser | null };
  if (!parser) return;
  // Node sets this field again for each connection.
  if (parser.onIncoming) parser.onIncoming = () => SKIP_REST;
  for (const [number, callback] of Object.entries(parser)) {
    if (typeof callback !== 'function' || callback.name !== 'parserOnBody') continue;
    parser[number] = undefined;
    socket.once('close', () => {
      parser[number] = callback;
    });
  }
}

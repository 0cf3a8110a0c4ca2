/** Selects the connections to close because too much of their responses is unread. */
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';

/** A client counts as reading if this many bytes left within this time (about 13 kB a second), or all that there were. */
const PROGRESS_BYTES = 64 * 1024;
const PROGRESS_MS = 5000;

interface ReadProgress {
  /** Start of the current interval, and the bytes sent until then. */
  readonly since: number;
  readonly sent: number;
  readonly isReading: boolean;
}

/**
 * Returns the bytes that have left. Uses private fields of Node: for a response in one write, the public ones show only
 * completion.
 */
function bytesSent(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten - socket.writableLength;
}

/**
 * Returns a function that selects connections while more than `maxBytes` are unread: first clients that do not read,
 * largest response first, then the youngest others. The last reading client is kept, so that one large response is
 * always delivered.
 */
export function createSlowReaderDetector(clock: Pick<Clock, 'monotonic'>, maxBytes: number) {
  /** Progress of the connections with unread bytes at the last call. */
  let previous = new Map<Socket, ReadProgress>();

  return (open: Iterable<Socket>): readonly Socket[] => {
    const now = clock.monotonic();
    const current = new Map<Socket, ReadProgress>();
    const [stalled, unproven, reading]: [Socket[], Socket[], Socket[]] = [[], [], []];
    let bytes = 0;
    for (const socket of open) {
      if (socket.writableLength === 0) continue;
      bytes += socket.writableLength;
      const sent = bytesSent(socket);
      const last = previous.get(socket) ?? { since: now, sent, isReading: false };
      const hasRead = sent - last.sent >= PROGRESS_BYTES;
      const state = hasRead ? { since: now, sent, isReading: true } : last;
      current.set(socket, state);
      (now - state.since >= PROGRESS_MS ? stalled : state.isReading ? reading : unproven).push(socket);
    }
    previous = current;
    stalled.sort((one, other) => other.writableLength - one.writableLength);
    const [, ...others] = [...reading, ...unproven];
    const closed: Socket[] = [];
    for (const socket of [...stalled, ...others.reverse()]) {
      if (bytes <= maxBytes) break;
      bytes -= socket.writableLength;
      closed.push(socket);
    }
    return closed;
  };
}

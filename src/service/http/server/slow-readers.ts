/** Chooses which connections are closed because too much of their answers waits to be read. */
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';

/** A client reads if this many bytes left for it within this time (about 13 kB a second), or all that there was. */
const PROGRESS_BYTES = 64 * 1024;
const PROGRESS_MS = 5000;

interface ReadProgress {
  /** Since when, by the clock, and what had left for it then. */
  readonly since: number;
  readonly sent: number;
  readonly isReading: boolean;
}

/** How many bytes have left. Node's own fields: of an answer in one write, the public ones tell only that it is not over. */
function bytesSent(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten - socket.writableLength;
}

/**
 * Beyond `most` bytes in all, those whose clients do not read are closed, the largest first. If that is not enough, so are the
 * youngest of the others, but never the last of those that read: one large answer is delivered, however large it is.
 */
export function createSlowReaderDetector(clock: Pick<Clock, 'monotonic'>, maxBytes: number) {
  /** What was seen of the connections that had something to read at the last look. */
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

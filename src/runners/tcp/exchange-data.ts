/** Exchanges data over a TCP connection and decides when the response is complete. */

import type { Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { TargetFault, toTargetFault } from '../network/fault.ts';

/** Maximum number of response bytes. */
export const MAX_RESPONSE = 64 * 1024;
/** A response is complete after this much silence, in ms. */
const QUIET_MS = 500;

export interface ReceivedData {
  readonly response: Buffer;
  /** True if the response was longer. */
  readonly isCut: boolean;
  /** True if the server closed the connection. */
  readonly isEnded: boolean;
  /** Monotonic ms of the last received byte, or of sending if none was received. */
  readonly lastAt: number;
}

export interface DataExchange {
  readonly data: Buffer | undefined;
  /** Whether to wait for a response until the deadline, or only briefly. */
  readonly expectsAnswer: boolean;
  /** The wait ends once all of these were received. */
  readonly stopAfter: readonly Buffer[] | undefined;
  readonly name: string;
}

/** Sends data and reads the response. A timeout returns what was received. Throws TargetFault. */
export function exchangeData(
  socket: Socket,
  { data, expectsAnswer, stopAfter, name }: DataExchange,
  deadline: Deadline,
): Promise<ReceivedData> {
  const { clock } = deadline;
  const timeoutError = () =>
    new TargetFault(
      'timeout',
      `${name} did not accept the data within ${formatLongDuration(deadline.timeoutMs)}`,
    );
  return withTimeout<ReceivedData>(deadline, deadline.remainingMs() + QUIET_MS, timeoutError, (settle) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let lastAt = clock.monotonic();
    let cancelTimer = () => {};
    const done = (isEnded: boolean) => {
      cancelTimer();
      const received = Buffer.concat(chunks);
      settle.succeed({
        response: received.subarray(0, MAX_RESPONSE),
        isCut: received.length > MAX_RESPONSE,
        isEnded,
        lastAt,
      });
    };
    let pendingTargets = stopAfter;
    let tail = Buffer.alloc(0);
    const overlap = Math.max(0, ...(stopAfter ?? []).map(({ length }) => length - 1));
    /** Searches only the new part and the overlap in which a target may start. */
    const isComplete = (chunk: Buffer): boolean => {
      const searched = Buffer.concat([tail, chunk]);
      tail = searched.subarray(Math.max(0, searched.length - overlap));
      pendingTargets = pendingTargets?.filter((target) => !searched.includes(target));
      return pendingTargets?.length === 0;
    };
    const wait = (ms: number) => {
      cancelTimer();
      cancelTimer = clock.timer(Math.min(ms, deadline.remainingMs()), () => done(false));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      lastAt = clock.monotonic();
      if (bytes > MAX_RESPONSE || isComplete(chunk)) done(false);
      else wait(QUIET_MS);
    });
    socket.once('end', () => done(true));
    socket.once('error', (error) => {
      // Servers often reset the connection after a complete response.
      if (bytes > 0) return done(true);
      cancelTimer();
      return settle.fail(toTargetFault(error, name));
    });
    socket.once('close', () => done(true));
    const startWaiting = () => {
      if (bytes === 0) {
        lastAt = clock.monotonic();
        wait(expectsAnswer ? deadline.remainingMs() : QUIET_MS);
      }
    };
    if (data === undefined) startWaiting();
    else socket.write(data, startWaiting);
    return () => {
      cancelTimer();
      socket.destroy();
    };
  }).finally(() => socket.destroy());
}

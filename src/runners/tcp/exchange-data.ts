/** What is said over a TCP connection: the data of the check, and what comes back, as much as is worth waiting for. */
import type { Socket } from 'node:net';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { TargetFault, toTargetFault } from '../network/fault.ts';

/** Bytes of what comes back that are read. */
export const MAX_RESPONSE = 64 * 1024;
/** What has begun to speak and is silent for so long has said it, in ms. */
const QUIET_MS = 500;

export interface ReceivedData {
  readonly response: Buffer;
  /** True where there was more of it. */
  readonly isCut: boolean;
  /** True where the other side ended the connection. */
  readonly isEnded: boolean;
  /** Monotonic ms of the last byte that came; of the data sent where none did. */
  readonly lastAt: number;
}

export interface DataExchange {
  readonly data: Buffer | undefined;
  /** Whether an answer is waited for as long as there is deadline; else a moment only, to show what comes. */
  readonly expectsAnswer: boolean;
  /** Once all of these came, nothing that follows is waited for. */
  readonly stopAfter: readonly Buffer[] | undefined;
  readonly name: string;
}

/** Sends and listens. A wait that runs out is no fault: what came until then is told. Throws TargetFault. */
export function exchangeData(
  socket: Socket,
  { data, expectsAnswer, stopAfter, name }: DataExchange,
  deadline: Deadline,
): Promise<ReceivedData> {
  const { clock } = deadline;
  const timeoutError = () =>
    new TargetFault('timeout', `${name} did not accept the data within ${deadline.timeoutMs} ms`);
  return withTimeout<ReceivedData>(deadline, deadline.remainingMs() + QUIET_MS, timeoutError, (settle) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let lastAt = clock.monotonic();
    let cancelTimer = () => {};
    const done = (isEnded: boolean) => {
      cancelTimer();
      const whole = Buffer.concat(chunks);
      settle.succeed({
        response: whole.subarray(0, MAX_RESPONSE),
        isCut: whole.length > MAX_RESPONSE,
        isEnded,
        lastAt,
      });
    };
    let missing = stopAfter;
    let tail = Buffer.alloc(0);
    const overlap = Math.max(0, ...(stopAfter ?? []).map(({ length }) => length - 1));
    /** Looks at the new part alone, and at as much before it as a target may begin in. */
    const isComplete = (chunk: Buffer): boolean => {
      const seen = Buffer.concat([tail, chunk]);
      tail = seen.subarray(Math.max(0, seen.length - overlap));
      missing = missing?.filter((target) => !seen.includes(target));
      return missing?.length === 0;
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
      // What was said was said: a connection is often broken by who has no more to say.
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

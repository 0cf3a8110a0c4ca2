/** What is said over a TCP connection: the data of the check, and what comes back, as much as is worth waiting for. */
import type { Socket } from 'node:net';
import { type Patience, within } from '../network/deadline.ts';
import { faultOf, TargetFault } from '../network/fault.ts';

/** Bytes of what comes back that are read. */
export const MOST_RESPONSE = 64 * 1024;
/** What has begun to speak and is silent for so long has said it, in ms. */
const QUIET_MS = 500;

export interface Said {
  readonly response: Buffer;
  /** True where there was more of it. */
  readonly isCut: boolean;
  /** True where the other side ended the connection. */
  readonly isEnded: boolean;
  /** Monotonic ms of the last byte that came; of the data sent where none did. */
  readonly lastAt: number;
}

export interface Talk {
  readonly data: Buffer | undefined;
  /** Whether an answer is waited for as long as there is patience; else a moment only, to show what comes. */
  readonly expectsAnswer: boolean;
  /** Once all of these came, nothing that follows is waited for. */
  readonly enough: readonly Buffer[] | undefined;
  readonly name: string;
}

/** Sends and listens. A wait that runs out is no fault: what came until then is told. Throws TargetFault. */
export function talk(
  socket: Socket,
  { data, expectsAnswer, enough, name }: Talk,
  patience: Patience,
): Promise<Said> {
  const { clock } = patience;
  const late = () =>
    new TargetFault('timeout', `${name} did not accept the data within ${patience.waitMs} ms`);
  return within<Said>(patience, patience.left() + QUIET_MS, late, (settle) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let lastAt = clock.monotonic();
    let callOff = () => {};
    const done = (isEnded: boolean) => {
      callOff();
      const whole = Buffer.concat(chunks);
      settle.succeed({
        ...{
          response: whole.subarray(0, MOST_RESPONSE),
          isCut: whole.length > MOST_RESPONSE,
          isEnded,
          lastAt,
        },
      });
    };
    let missing = enough;
    let tail = Buffer.alloc(0);
    const overlap = Math.max(0, ...(enough ?? []).map(({ length }) => length - 1));
    /** Looks at the new part alone, and at as much before it as a target may begin in. */
    const isEnough = (chunk: Buffer): boolean => {
      const seen = Buffer.concat([tail, chunk]);
      tail = seen.subarray(Math.max(0, seen.length - overlap));
      missing = missing?.filter((target) => !seen.includes(target));
      return missing?.length === 0;
    };
    const wait = (ms: number) => {
      callOff();
      callOff = clock.timer(Math.min(ms, patience.left()), () => done(false));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      lastAt = clock.monotonic();
      if (bytes > MOST_RESPONSE || isEnough(chunk)) done(false);
      else wait(QUIET_MS);
    });
    socket.once('end', () => done(true));
    socket.once('error', (error) => {
      // What was said was said: a connection is often broken by who has no more to say.
      if (bytes > 0) return done(true);
      callOff();
      return settle.fail(faultOf(error, name));
    });
    socket.once('close', () => done(true));
    const sent = () => {
      if (bytes === 0) {
        lastAt = clock.monotonic();
        wait(expectsAnswer ? patience.left() : QUIET_MS);
      }
    };
    if (data === undefined) sent();
    else socket.write(data, sent);
    return () => {
      callOff();
      socket.destroy();
    };
  }).finally(() => socket.destroy());
}

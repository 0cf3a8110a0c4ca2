/** Exchanges data over a TCP connection and decides when the response is complete. */

import type { Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import { createGrowingBuffer } from '../http/growing-buffer.ts';
import { type Deadline, withTimeout } from '../network/deadline.ts';
import { TargetFault, toTargetFault } from '../network/fault.ts';

/** Maximum number of response bytes that assertions examine. */
export const MAX_RESPONSE = 1024 * 1024;
/** A pause in the response, in ms. */
const QUIET_MS = 500;
/** Assertions are evaluated again once the data grew by this part, or after a delay in ms: evaluation costs time. */
const GROWTH = 1 / 8;
const DELAY_MS = 50;

export interface ReceivedData {
  readonly response: Buffer;
  /** True if the response was longer. */
  readonly isCut: boolean;
  /** True if the server closed the connection. */
  readonly isEnded: boolean;
  /** True if it reset the connection, which may have dropped data. */
  readonly isReset: boolean;
  /** Monotonic ms of the last byte of the response, or of sending if none was received. */
  readonly lastAt: number;
}

/**
 * When the wait ends, apart from the deadline, the end of the connection and the maximum size: after a pause; once
 * `holds` at any time or at a pause; or not before.
 */
export type EndOfWait =
  | { readonly at: 'pause' }
  | { readonly at: 'end' /** True if nothing after a pause is needed. */; readonly isNegative: boolean }
  | { readonly at: 'proof' | 'holding pause'; readonly holds: (received: Buffer) => Promise<boolean> };

export interface DataExchange {
  readonly data: Buffer | undefined;
  readonly endOfWait: EndOfWait;
  readonly name: string;
}

/** Sends data and reads the response. A timeout returns what was received. Throws TargetFault. */
export function exchangeData(
  socket: Socket,
  { data, endOfWait, name }: DataExchange,
  deadline: Deadline,
): Promise<ReceivedData> {
  const { clock } = deadline;
  const timeoutError = () =>
    new TargetFault(
      'timeout',
      `${name} did not accept the data within ${formatLongDuration(deadline.timeoutMs)}`,
    );
  return withTimeout<ReceivedData>(deadline, deadline.remainingMs() + QUIET_MS, timeoutError, (settle) => {
    const buffer = createGrowingBuffer(MAX_RESPONSE);
    let bytes = 0;
    let lastAt = clock.monotonic();
    /** When the last byte before the first pause arrived. */
    let pausedAt: number | undefined;
    let cancelPause = () => {};
    let isDone = false;
    let isChecking = false;
    let checkedBytes = 0;
    let cancelDelay: (() => void) | undefined;
    const done = (isEnded: boolean, isReset = false) => {
      isDone = true;
      cancelTimers();
      settle.succeed({
        response: buffer.bytes(),
        isCut: bytes > MAX_RESPONSE,
        isEnded,
        isReset,
        // Data after a pause counts only if an assertion needs it.
        lastAt: endOfWait.at === 'end' && endOfWait.isNegative ? (pausedAt ?? lastAt) : lastAt,
      });
    };
    /** Ends the wait if the assertions hold for all that was received. */
    const check = (holds: (received: Buffer) => Promise<boolean>) => {
      if (isChecking) return;
      cancelDelay?.();
      cancelDelay = undefined;
      isChecking = true;
      checkedBytes = bytes;
      holds(buffer.bytes()).then((isHolding) => {
        isChecking = false;
        if (isDone) return;
        if (isHolding && (endOfWait.at === 'proof' || checkedBytes === bytes)) done(false);
        else if (checkedBytes < bytes && endOfWait.at === 'proof') checkSoon(holds);
        else if (checkedBytes < bytes) waitForPause();
      }, settle.fail);
    };
    /** Checks at once if much has arrived since the last check, otherwise a little later. */
    const checkSoon = (holds: (received: Buffer) => Promise<boolean>) => {
      if (bytes >= checkedBytes * (1 + GROWTH)) return check(holds);
      cancelDelay ??= clock.timer(DELAY_MS, () => check(holds));
    };
    const onPause = () => {
      pausedAt ??= lastAt;
      if (endOfWait.at === 'pause') done(false);
      else if (endOfWait.at === 'holding pause') check(endOfWait.holds);
    };
    const waitForPause = () => {
      cancelPause();
      cancelPause = clock.timer(QUIET_MS, onPause);
    };
    const cancelDeadline = clock.timer(deadline.remainingMs(), () => done(false));
    const cancelTimers = () => {
      cancelPause();
      cancelDelay?.();
      cancelDeadline();
    };
    socket.on('data', (chunk: Buffer) => {
      buffer.add(chunk);
      bytes += chunk.length;
      lastAt = clock.monotonic();
      if (bytes > MAX_RESPONSE) return done(false);
      if (endOfWait.at === 'proof') checkSoon(endOfWait.holds);
      return waitForPause();
    });
    socket.once('end', () => done(true));
    socket.once('error', (error) => {
      // Servers often reset the connection after a complete response.
      if (bytes > 0) return done(true, true);
      cancelTimers();
      return settle.fail(toTargetFault(error, name));
    });
    socket.once('close', () => done(true));
    const startWaiting = () => {
      if (bytes > 0) return;
      lastAt = clock.monotonic();
      if (endOfWait.at === 'pause') waitForPause();
    };
    if (data === undefined) startWaiting();
    else socket.write(data, startWaiting);
    return () => {
      cancelTimers();
      socket.destroy();
    };
  }).finally(() => socket.destroy());
}

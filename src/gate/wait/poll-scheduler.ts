/** Schedules polls: few sessions each hold a long poll; many are polled in turn, within the documented rate limit. */
import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';

/** By default, up to this many sessions each hold a long poll; more are polled in turn. */
export const MAX_LONG_POLLS = 50;
/** Seconds that a long poll waits at the service. */
const POLL_SECONDS = 30;
/**
 * The documented rate limit is 600 requests a minute. The first 120 polls run at 50 a second, so that sessions that already
 * ended are reported soon; the rest at 7 a second, which leaves room for other requests with the same key.
 */
const BURST = 120;
const BURST_INTERVAL_MS = 20;
const INTERVAL_MS = 1000 / 7;

/** Upper limit of a pause, in ms: a Retry-After of a day for one session must not stop the others. */
const MAX_PAUSE_MS = 60_000;

export interface PollScheduler {
  /**
   * Resolves when the next poll in the queue may run, or at the deadline, with the seconds to wait at the service (0: read the
   * current state). Rejects with the signal's reason.
   */
  next(): Promise<number>;
  /** Pauses all polls for this time, in ms: the rate limit of the service applies to all sessions together. */
  pause(ms: number): void;
  /** Removes a session. The last few sessions hold long polls. */
  leave(): void;
  /** Time between two polls of the same session, in ms; undefined if all hold long polls. */
  readonly roundMs: number | undefined;
}

export interface PollSchedulerOptions {
  readonly sessions: number;
  /** Maximum number of sessions that each hold a long poll. */
  readonly maxLongPolls?: number | undefined;
  /** No poll waits in the queue beyond this time: ms on the monotonic clock. */
  readonly deadline: number;
  readonly clock: Clock;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

interface QueuedPoll {
  readonly resolve: (seconds: number) => void;
  readonly reject: (reason: unknown) => void;
}

export function createPollScheduler({
  sessions,
  maxLongPolls = MAX_LONG_POLLS,
  deadline,
  clock,
  signal,
}: PollSchedulerOptions): PollScheduler {
  const queue: QueuedPoll[] = [];
  let left = sessions;
  let released = 0;
  let nextAt = clock.monotonic();
  let isDraining = false;
  const isFew = () => left <= maxLongPolls;
  const releaseAll = (settle: (queued: QueuedPoll) => void) => queue.splice(0).forEach(settle);
  onAbort(signal, () => releaseAll(({ reject }) => reject(signal.reason)));

  /** Releases queued polls one by one until the queue is empty. */
  const drain = async () => {
    if (isDraining) return;
    isDraining = true;
    while (queue.length > 0) {
      const now = clock.monotonic();
      if (now >= deadline) releaseAll(({ resolve }) => resolve(0));
      else if (now < nextAt) await clock.sleep(Math.min(nextAt, deadline) - now, signal);
      else {
        released += 1;
        nextAt = now + (released < BURST ? BURST_INTERVAL_MS : INTERVAL_MS);
        queue.shift()?.resolve(0);
      }
    }
    isDraining = false;
  };

  return {
    next() {
      if (isFew()) return Promise.resolve(POLL_SECONDS);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        queue.push({ resolve, reject });
        // It rejects only with the signal's reason, which the queued polls have received by then.
        drain().catch(() => {});
        return undefined;
      });
    },
    pause(ms) {
      nextAt = Math.max(nextAt, clock.monotonic() + Math.min(ms, MAX_PAUSE_MS));
    },
    leave() {
      left -= 1;
      if (isFew()) releaseAll(({ resolve }) => resolve(POLL_SECONDS));
    },
    get roundMs() {
      return isFew() ? undefined : left * INTERVAL_MS;
    },
  };
}

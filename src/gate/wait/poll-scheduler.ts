/** Who may ask when: a few sessions hold a long poll each; many are looked at in turn, within the documented rate. */
import type { Clock } from '../../base/clock.ts';

/** Up to so many sessions hold a long poll each; of more, all are asked in turn. */
export const MOST_LONG_POLLS = 50;
/** Seconds that a long poll waits at the service. */
const LONGEST_POLL = 30;
/**
 * The documented rate is 600 a minute. The first questions may come faster, so that sessions which are over already are
 * soon told: 120 at 50 a second. Then 7 a second; that leaves room for what else is asked with the same key.
 */
const FIRST_TURNS = 120;
const FIRST_APART_MS = 20;
const APART_MS = 1000 / 7;

/** One session may be told to stay away for a day; the others are not to sleep on its word for longer than this. */
const LONGEST_REST_MS = 60_000;

export interface Turns {
  /**
   * Resolves once the next in the row may ask, with the seconds that it may wait at the service (0: a look), or at the
   * deadline. Rejects with the signal's reason.
   */
  next(): Promise<number>;
  /** Nobody asks for so long, in ms: the service limits all of us, not one session. */
  rest(ms: number): void;
  /** A session is no longer waited for. Once only a few are left, they hold long polls. */
  leave(): void;
  /** How long it takes until the same session is asked again, in ms; undefined where all hold long polls. */
  readonly roundMs: number | undefined;
}

export interface TurnsOptions {
  readonly sessions: number;
  /** On the monotonic clock, in ms: nobody is kept in the row beyond it. */
  readonly deadline: number;
  readonly clock: Clock;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly resolve: (seconds: number) => void;
  readonly reject: (reason: unknown) => void;
}

export function takeTurns({ sessions, deadline, clock, signal }: TurnsOptions): Turns {
  const row: Waiting[] = [];
  let left = sessions;
  let given = 0;
  let free = clock.monotonic();
  let isMoving = false;
  const isFew = () => left <= MOST_LONG_POLLS;
  const dismiss = (tell: (waiting: Waiting) => void) => row.splice(0).forEach(tell);
  signal.addEventListener('abort', () => dismiss(({ reject }) => reject(signal.reason)), { once: true });

  /** Lets the row move on, one by one, as long as anybody stands in it. */
  const move = async () => {
    if (isMoving) return;
    isMoving = true;
    while (row.length > 0) {
      const now = clock.monotonic();
      if (now >= deadline) dismiss(({ resolve }) => resolve(0));
      else if (now < free) await clock.sleep(Math.min(free, deadline) - now, signal);
      else {
        given += 1;
        free = now + (given < FIRST_TURNS ? FIRST_APART_MS : APART_MS);
        row.shift()?.resolve(0);
      }
    }
    isMoving = false;
  };

  return {
    next() {
      if (isFew()) return Promise.resolve(LONGEST_POLL);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        row.push({ resolve, reject });
        // It rejects only with the signal's reason: whoever stood in the row was told by then.
        move().catch(() => {});
        return undefined;
      });
    },
    rest(ms) {
      free = Math.max(free, clock.monotonic() + Math.min(ms, LONGEST_REST_MS));
    },
    leave() {
      left -= 1;
      if (isFew()) dismiss(({ resolve }) => resolve(LONGEST_POLL));
    },
    get roundMs() {
      return isFew() ? undefined : left * APART_MS;
    },
  };
}

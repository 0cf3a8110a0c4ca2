/** Sleeps until the next instant at which something is due, and does it then. */
import type { Clock } from './clock.ts';
import { turn } from './next-tick.ts';

export interface TimekeeperOptions {
  readonly clock: Clock;
  /** Does what is due; true where there may be more. */
  readonly step: () => Promise<boolean>;
  /** When the next thing is due, in ms since the epoch; null: nothing is. Asked after each step. */
  readonly nextInstant: () => Promise<number | null>;
  /** Waited for before each step: what is due soon after is then done with it. Left out: nothing is. */
  readonly gather?: (() => Promise<void>) | undefined;
  readonly onError: (message: string, error: unknown) => void;
  /** Sleeps no longer than this at once, in ms: the machine's clock may be set meanwhile. */
  readonly longestSleepMs?: number | undefined;
}

export interface Timekeeper {
  /** Something is due at this instant (ms since the epoch): the sleep ends there at the latest. */
  dueAt(instant: number): void;
  stop(): Promise<void>;
}

const LONGEST_SLEEP_MS = 30_000;
/** Rests so long where what is due could not be done, in ms. */
const REST_MS = 1000;

export function startTimekeeper(options: TimekeeperOptions): Timekeeper {
  const { clock, step, gather, nextInstant, onError, longestSleepMs = LONGEST_SLEEP_MS } = options;
  let isStopping = false;
  /** Something is due before the sleep would end. */
  let isEarlier = false;
  let wake = () => {};
  /** By the clock that never steps: where the wall clock is set, a sleep ends no sooner and no later. */
  let wakesAt = Number.POSITIVE_INFINITY;

  async function keep(): Promise<void> {
    while (!isStopping) {
      isEarlier = false;
      wakesAt = Number.POSITIVE_INFINITY;
      let rest = 0;
      let next: number | null = null;
      let began = clock.now();
      try {
        await gather?.();
        began = clock.now();
        if (await step()) {
          // A store in this process answers without ever leaving the turn: who listens or waits for an answer would starve.
          await turn();
          continue;
        }
        next = await nextInstant();
      } catch (error) {
        onError('cannot process due work', error);
        rest = REST_MS;
      }
      // What was due and still is, although it was done, is not done again in a loop; what came due meanwhile is done now.
      const now = clock.now();
      const soonest = next !== null && next <= began ? now + REST_MS : (next ?? Number.POSITIVE_INFINITY);
      const sleepMs = rest > 0 ? rest : Math.max(0, Math.min(soonest - now, longestSleepMs));
      wakesAt = clock.monotonic() + sleepMs;
      await sleep(sleepMs, () => isStopping || (isEarlier && rest === 0));
    }
  }

  /** Until the time is up, or it is woken and may wake. Nothing that lasts knows of it afterwards: a service does it for months. */
  async function sleep(ms: number, mayWake: () => boolean): Promise<void> {
    if (mayWake()) return;
    const awake = new AbortController();
    await new Promise<void>((resolve) => {
      wake = () => mayWake() && resolve();
      clock.sleep(ms, awake.signal).then(resolve, () => {});
    });
    wake = () => {};
    // With a reason: without one an error with its stack is built each time.
    awake.abort('awake');
  }

  const kept = keep();
  return {
    dueAt(instant) {
      if (clock.monotonic() + (instant - clock.now()) >= wakesAt) return;
      isEarlier = true;
      wake();
    },
    async stop() {
      isStopping = true;
      wake();
      await kept;
    },
  };
}

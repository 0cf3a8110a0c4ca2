/** Runs a step whenever work is due, and sleeps in between. */
import type { Clock } from './clock.ts';
import { nextTick } from './clock.ts';

export interface SchedulerOptions {
  readonly clock: Clock;
  /** Does the due work. Returns true if there may be more. */
  readonly step: () => Promise<boolean>;
  /** Returns when the next work is due, in ms since the epoch, or null. Called after each step. */
  readonly nextInstant: () => Promise<number | null>;
  /** Awaited before each step, unless more may be due, so that the step also does the work that becomes due meanwhile. */
  readonly coalesce?: (() => Promise<void>) | undefined;
  readonly onError: (message: string, error: unknown) => void;
  /** Longest sleep, in ms. It is limited because the machine's clock may be set meanwhile. */
  readonly maxSleepMs?: number | undefined;
}

export interface Scheduler {
  /** Announces work that is due at this instant (ms since the epoch). The sleep ends then at the latest. */
  dueAt(instant: number): void;
  stop(): Promise<void>;
}

const MAX_SLEEP_MS = 30_000;
/** Delay after a step that failed, in ms. */
const RETRY_DELAY_MS = 1000;

export function startScheduler(options: SchedulerOptions): Scheduler {
  const { clock, step, coalesce, nextInstant, onError, maxSleepMs = MAX_SLEEP_MS } = options;
  let isStopping = false;
  /** True if the last step left work that may be due. */
  let hasMore = false;
  /** True if work is due before the end of the sleep. */
  let hasEarlierWork = false;
  let wake = () => {};
  /** On the monotonic clock, so that a step of the wall clock does not change the sleep. */
  let wakesAt = Number.POSITIVE_INFINITY;

  async function run(): Promise<void> {
    while (!isStopping) {
      hasEarlierWork = false;
      wakesAt = Number.POSITIVE_INFINITY;
      let retryDelay = 0;
      let next: number | null = null;
      let startedAt = clock.now();
      try {
        if (!hasMore) await coalesce?.();
        hasMore = false;
        startedAt = clock.now();
        hasMore = await step();
        if (hasMore) {
          // An in-process store answers without leaving the event-loop turn. This lets listeners and I/O run.
          await nextTick();
          continue;
        }
        next = await nextInstant();
      } catch (error) {
        onError('cannot process due work', error);
        retryDelay = RETRY_DELAY_MS;
      }
      // Work that is still due after its step waits, to avoid a busy loop. Work that became due meanwhile runs now.
      const now = clock.now();
      const wakeTime =
        next !== null && next <= startedAt ? now + RETRY_DELAY_MS : (next ?? Number.POSITIVE_INFINITY);
      const sleepMs = retryDelay > 0 ? retryDelay : Math.max(0, Math.min(wakeTime - now, maxSleepMs));
      wakesAt = clock.monotonic() + sleepMs;
      await sleep(sleepMs, () => isStopping || (hasEarlierWork && retryDelay === 0));
    }
  }

  /**
   * Sleeps until the time is up or `wake` ends the sleep. It leaves no listener behind: a service sleeps for months.
   */
  async function sleep(ms: number, canWake: () => boolean): Promise<void> {
    if (canWake()) return;
    const timer = new AbortController();
    await new Promise<void>((resolve) => {
      wake = () => canWake() && resolve();
      clock.sleep(ms, timer.signal).then(resolve, () => {});
    });
    wake = () => {};
    // Without a reason, each abort would build an error with its stack.
    timer.abort('awake');
  }

  const loop = run();
  return {
    dueAt(instant) {
      if (clock.monotonic() + (instant - clock.now()) >= wakesAt) return;
      hasEarlierWork = true;
      wake();
    },
    async stop() {
      isStopping = true;
      wake();
      await loop;
    },
  };
}

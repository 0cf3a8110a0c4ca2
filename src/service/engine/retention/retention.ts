/** Rolls up completed hours and deletes old results in the background. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { periodStart } from '../../store/engine/rollup-periods.ts';
import { MAX_SAMPLE_AGE_MS } from '../../store/location-queues.ts';
import { pruneAllLocations } from './prune-locations.ts';

/** Specification, Limits: raw result retention. */
export const DEFAULT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** Retention of a project folder without a check, in ms. Its check may still be created. */
const UNUSED_BUNDLE_MS = 24 * 60 * 60 * 1000;

/** Retention of an unrecorded test session after its end, in ms. */
const UNRECORDED_MS = 60 * 60 * 1000;

/** Time between runs, in ms. */
const INTERVAL_MS = 5 * 60 * 1000;
/** Pause after each batch, in ms, so that checks and requests take precedence. */
const PAUSE_MS = 20;
const HOURS_PER_BATCH = 20;
const ROWS_PER_BATCH = 200;
/** A larger drift from the monotonic clock, in ms, is a clock step. Nothing is deleted for a while after it. */
const CLOCK_STEP_MS = 60 * 1000;
const DISTRUST_MS = 60 * 60 * 1000;

/** Rolls up a batch of hours completed by `now`, in one transaction. Returns false if none is left. */
export async function rollUpBatch(store: EngineStore, now: number): Promise<boolean> {
  const hours = await store.rollUps.pendingHours(periodStart('HOUR', now), HOURS_PER_BATCH);
  if (hours.length === 0) return false;
  await store.atomically(async (data) => {
    for (const hour of hours) await data.rollUps.rollUp(hour);
    await data.statistics.refresh(hours, now);
  });
  return true;
}

/** Computes the statistics of a batch of checks that an earlier version rolled up. Returns false if none is left. */
export async function completeStatistics(store: EngineStore, now: number): Promise<boolean> {
  const missing = await store.statistics.missing(HOURS_PER_BATCH);
  if (missing.length === 0) return false;
  await store.atomically((data) => data.statistics.refresh(missing, now));
  return true;
}

/**
 * Deletes a batch of rows older than `before`. Returns false if none is left. Files of results are swept separately.
 */
export async function removeBatch({ retention }: EngineStore, before: number): Promise<boolean> {
  const removals = [
    retention.removeResults,
    retention.removeSessions,
    retention.removeTestSessions,
    retention.removeErrorGroups,
  ];
  for (const remove of removals) if ((await remove(before, ROWS_PER_BATCH)) > 0) return true;
  return false;
}

interface RetentionOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly retentionMs?: number | undefined;
  /** Public locations. Checks that name no location run in the first. */
  readonly locations: readonly [string, ...string[]];
}

/** Starts the background loop, which deletes old results and those of removed locations. The next run continues unfinished work. */
export function startRetention(
  store: EngineStore,
  { clock, retentionMs = DEFAULT_RETENTION_MS, locations: [standard] }: RetentionOptions,
  onError: (message: string, error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let lastReading = { wall: clock.now(), steady: clock.monotonic() };
  let trustedFrom = lastReading.steady;

  /** Returns whether to trust the wall clock. A clock that was set forward by mistake must not empty the store. */
  function isClockTrusted(): boolean {
    const now = { wall: clock.now(), steady: clock.monotonic() };
    const drift = now.wall - lastReading.wall - (now.steady - lastReading.steady);
    if (Math.abs(drift) > CLOCK_STEP_MS) trustedFrom = now.steady + DISTRUST_MS;
    lastReading = now;
    return now.steady >= trustedFrom;
  }

  async function runOnce(): Promise<void> {
    while (!signal.aborted && (await rollUpBatch(store, clock.now()))) await clock.sleep(PAUSE_MS, signal);
    await pruneAllLocations(store, standard, () => clock.sleep(PAUSE_MS, signal));
    if (!isClockTrusted()) return;
    await store.codeBundles.deleteUnused(clock.now() - UNUSED_BUNDLE_MS);
    const ended = clock.now() - UNRECORDED_MS;
    while (!signal.aborted && (await store.retention.removeUnrecorded(ended, ROWS_PER_BATCH)) > 0)
      await clock.sleep(PAUSE_MS, signal);
    await store.subscribers.deleteUnconfirmed();
    await store.locationQueues.deleteBefore(clock.now() - MAX_SAMPLE_AGE_MS);
    const before = clock.now() - retentionMs;
    while (!signal.aborted && (await removeBatch(store, before))) await clock.sleep(PAUSE_MS, signal);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) onError('cannot roll up or delete old results', error);
    }
  }

  async function run(): Promise<void> {
    await attempt(async () => {
      while (!signal.aborted && (await completeStatistics(store, clock.now())))
        await clock.sleep(PAUSE_MS, signal);
    });
    while (!signal.aborted)
      await attempt(async () => {
        await clock.sleep(INTERVAL_MS, signal);
        await runOnce();
      });
  }

  const loop = run();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

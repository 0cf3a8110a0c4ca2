/** Keeps results in order beside the work: rolls up hours that are over, and removes what has been kept long enough. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { periodStart } from '../../store/engine/rollup-periods.ts';

export interface KeeperOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** How long raw results are kept, in ms. */
  readonly keepMs: number;
  readonly onError: (message: string, error: unknown) => void;
}

/** Specification, Limits: raw result retention. */
export const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** A project folder that no check names is kept so long, in ms: the check that it was sent for may be made yet. */
const UNUSED_MS = 24 * 60 * 60 * 1000;

/** What a test session found that is not recorded can be read for so long after its end, in ms. */
const UNRECORDED_MS = 60 * 60 * 1000;

/** Looks so often what there is to do, in ms. */
const TURN_MS = 5 * 60 * 1000;
/** Rests so long after each step, in ms, so that checks and requests go first. */
const REST_MS = 20;
const HOURS_AT_ONCE = 20;
const ROWS_AT_ONCE = 200;
/** Late by so much against the steady clock, in ms, the wall clock was set; then nothing is removed for a while. */
const STEP_MS = 60 * 1000;
const DISTRUST_MS = 60 * 60 * 1000;

/** Rolls up some of what waits of hours that are over at `now`; false where nothing is left. One transaction. */
export async function rollUpSome(store: EngineStore, now: number): Promise<boolean> {
  const hours = await store.rollUps.pendingHours(periodStart('HOUR', now), HOURS_AT_ONCE);
  if (hours.length === 0) return false;
  await store.atomically(async (data) => {
    for (const hour of hours) await data.rollUps.rollUp(hour);
  });
  return true;
}

/** Removes some of what was stored before `before`; false where nothing is left. Files of results are swept by themselves. */
export async function removeSome({ retention }: EngineStore, before: number): Promise<boolean> {
  const removals = [
    retention.removeResults,
    retention.removeSessions,
    retention.removeTestSessions,
    retention.removeErrorGroups,
  ];
  for (const remove of removals) if ((await remove(before, ROWS_AT_ONCE)) > 0) return true;
  return false;
}

/** Starts keeping; what it does not finish it takes up again at its next turn. */
export function startKeeper({ store, clock, keepMs, onError }: KeeperOptions): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  let seen = { wall: clock.now(), steady: clock.monotonic() };
  let trustedFrom = seen.steady;

  /** Whether the wall clock can be trusted: a clock that was set forward by mistake must not empty the store. */
  function isTrusted(): boolean {
    const now = { wall: clock.now(), steady: clock.monotonic() };
    const drift = now.wall - seen.wall - (now.steady - seen.steady);
    if (Math.abs(drift) > STEP_MS) trustedFrom = now.steady + DISTRUST_MS;
    seen = now;
    return now.steady >= trustedFrom;
  }

  async function turn(): Promise<void> {
    while (!signal.aborted && (await rollUpSome(store, clock.now()))) await clock.sleep(REST_MS, signal);
    if (!isTrusted()) return;
    await store.codeBundles.deleteUnused(clock.now() - UNUSED_MS);
    const ended = clock.now() - UNRECORDED_MS;
    while (!signal.aborted && (await store.retention.removeUnrecorded(ended, ROWS_AT_ONCE)) > 0)
      await clock.sleep(REST_MS, signal);
    await store.subscribers.deleteUnconfirmed();
    const before = clock.now() - keepMs;
    while (!signal.aborted && (await removeSome(store, before))) await clock.sleep(REST_MS, signal);
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      try {
        await clock.sleep(TURN_MS, signal);
        await turn();
      } catch (error) {
        if (!signal.aborted) onError('cannot roll up or delete old results', error);
      }
    }
  }

  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

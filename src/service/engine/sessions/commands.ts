/** The changes that the engine makes to what is under way: each one transaction, and what is told after its commit. */
import type { Clock } from '../../../base/clock.ts';
import { turn } from '../../../base/next-tick.ts';
import type { Random } from '../../../base/random.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { batched, paced } from './batcher.ts';
import { cancel, concludeOverdue } from './expiry.ts';
import { type Observed, recordObserved } from './observe.ts';
import type { Limits, PlannedSession } from './plan.ts';
import { type Reported, recordReports } from './record.ts';
import { type Effects, type EndedSession, type Recorder, together } from './recorder.ts';

type Cancelled = Awaited<ReturnType<typeof cancel>>;

export interface ChangingOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  /** Under load, results are gathered so long before they are committed, in ms; 0: only what comes at once. */
  readonly gatherMs: number;
  readonly onEnded: ((tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>) | undefined;
  /** Told of sessions that were begun here, once they are committed. */
  readonly onStarted: (planned: readonly PlannedSession[]) => void;
  /** Told of every change once it is committed. */
  readonly onChange: (effects: Effects) => void;
  /** Told of runs that are to be stopped, as their session was cancelled. */
  readonly onCancel: (runIds: readonly number[]) => void;
}

export interface Changing {
  /** Records what a worker found; reports that come together are committed together. False: it held the run no longer. */
  report(reported: Reported): Promise<boolean>;
  /** Cancels sessions in one transaction; `atOnce`: without waiting for what runs. */
  cancel(sessionIds: readonly string[], how?: { readonly atOnce: boolean }): Promise<void>;
  /**
   * Cancels at once what is open with a check, and deletes the check by `remove`; what started in between is cancelled in the
   * transaction that deletes, as what waits for its turn in a batch has it from nobody else.
   */
  forget<T>(accountId: string, checkId: string, remove: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Makes a change, and records in the same transaction what it says was found of checks that nobody runs. */
  observe(work: (data: EngineData) => Promise<readonly Observed[]>): Promise<void>;
  /** Concludes runs and sessions whose time is over; answers how many runs it recorded. */
  concludeOverdue(): Promise<number>;
}

const REPORTS_AT_ONCE = 100;

export function changing({
  store,
  clock,
  random,
  limits,
  gatherMs,
  onEnded,
  ...options
}: ChangingOptions): Changing {
  const recorder = (data: EngineData, tx: StoreTransaction): Recorder => ({
    ...{ data, tx, now: clock.now(), random, limits, onEnded },
  });
  const report = batched<Reported, boolean>(
    async (reports) => {
      const { effects, kept } = await store.atomically((data, tx) =>
        recordReports(recorder(data, tx), reports),
      );
      options.onChange(effects);
      return reports.map((reported) => kept.has(reported));
    },
    {
      most: REPORTS_AT_ONCE,
      ...(gatherMs > 0 ? { gather: paced(clock, gatherMs) } : {}),
      isUrgent: ({ isAwaited }) => isAwaited === true,
    },
  );
  async function cancelIn(
    [data, tx]: readonly [EngineData, StoreTransaction],
    sessionIds: readonly string[],
    how?: { readonly atOnce: boolean },
  ): Promise<Cancelled[]> {
    const each = [];
    for (const id of sessionIds) each.push(await cancel(recorder(data, tx), id, how));
    return each;
  }
  function tellCancelled(cancelled: readonly Cancelled[]): void {
    options.onCancel(cancelled.flatMap(({ running }) => running));
    options.onChange(together(cancelled.map(({ effects }) => effects)));
  }
  async function cancelled(sessionIds: readonly string[], how?: { readonly atOnce: boolean }): Promise<void> {
    if (sessionIds.length === 0) return;
    tellCancelled(await store.atomically((...within) => cancelIn(within, sessionIds, how)));
  }
  const openWith = async (data: EngineData, accountId: string, checkId: string) =>
    (await data.sessions.openWithCheck(accountId, checkId)).map(({ id }) => id);

  return {
    report,
    cancel: cancelled,
    async forget(accountId, checkId, remove) {
      await cancelled(await openWith(store, accountId, checkId), { atOnce: true });
      // Who waits for one of them reads how it ended before it is gone.
      await turn();
      const { late, removed } = await store.atomically(async (data, tx) => {
        await data.checks.lock(accountId, checkId);
        const late = await cancelIn([data, tx], await openWith(data, accountId, checkId), { atOnce: true });
        return { late, removed: await remove(tx) };
      });
      tellCancelled(late);
      return removed;
    },
    async observe(work) {
      const { effects, planned } = await store.atomically(async (data, tx) =>
        recordObserved(recorder(data, tx), await work(data)),
      );
      if (planned.length === 0) return;
      options.onStarted(planned);
      options.onChange(effects);
    },
    async concludeOverdue() {
      const effects = await store.atomically((data, tx) => concludeOverdue(recorder(data, tx)));
      options.onChange(effects);
      return effects.attempts;
    },
  };
}

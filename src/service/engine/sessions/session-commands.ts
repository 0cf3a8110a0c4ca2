/** Changes sessions, one transaction per command, and publishes the effects after the commit. */
import { type Clock, nextTick } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import { DatabaseFault } from '../../store/errors.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { createBatcher, createPacer } from './batcher.ts';
import { cancelSession, expireOverdue } from './expiry.ts';
import type { Limits, PlannedSession } from './plan-session.ts';
import { type Observation, type RunReport, recordObservations, recordReports } from './record-reports.ts';
import { type ChangeContext, combineEffects, type Effects, type EndedSession } from './transitions.ts';

type Cancelled = Awaited<ReturnType<typeof cancelSession>>;

interface SessionCommandsOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  /** Under load, how long to collect results before a commit, in ms; 0: only concurrent ones. */
  readonly coalesceMs: number;
  readonly onEnded: ((tx: StoreTransaction, ended: readonly EndedSession[]) => Promise<void>) | undefined;
  /** Called with started sessions after the commit. */
  readonly onStarted: (planned: readonly PlannedSession[]) => void;
  /** Called after the deletion of a check. */
  readonly onCheckDeleted: (checkId: string) => void;
  /** Called with the effects of every change after the commit. */
  readonly onChange: (effects: Effects) => void;
  /** Called with the runs of cancelled sessions that must stop. */
  readonly onCancel: (runIds: readonly number[]) => void;
}

export type SessionCommands = ReturnType<typeof createSessionCommands>;

const MAX_REPORTS = 100;

export function createSessionCommands(options: SessionCommandsOptions) {
  const { store, clock, random, limits, coalesceMs, onEnded } = options;
  const createContext = (data: EngineData, tx: StoreTransaction): ChangeContext => ({
    data,
    tx,
    now: clock.now(),
    random,
    limits,
    onEnded,
  });
  /** Records a worker's report. Concurrent reports share a commit. Returns false if the worker no longer holds the run. */
  const report = createBatcher<RunReport, boolean>(
    async (reports) => {
      const { effects, recorded } = await store.atomically((data, tx) =>
        recordReports(createContext(data, tx), reports),
      );
      options.onChange(effects);
      return reports.map((reported) => recorded.has(reported));
    },
    {
      limit: MAX_REPORTS,
      ...(coalesceMs > 0 ? { coalesce: createPacer(clock, coalesceMs) } : {}),
      isUrgent: ({ isAwaited }) => isAwaited === true,
    },
  );
  async function cancelIn(
    [data, tx]: readonly [EngineData, StoreTransaction],
    sessionIds: readonly string[],
    how?: { readonly atOnce: boolean },
  ): Promise<Cancelled[]> {
    const each = [];
    for (const id of sessionIds) each.push(await cancelSession(createContext(data, tx), id, how));
    return each;
  }
  function notifyCancelled(cancelled: readonly Cancelled[]): void {
    options.onCancel(cancelled.flatMap(({ running }) => running));
    options.onChange(combineEffects(cancelled.map(({ effects }) => effects)));
  }
  /** Cancels sessions in one transaction. `atOnce`: does not wait for running attempts. */
  async function cancel(sessionIds: readonly string[], how?: { readonly atOnce: boolean }): Promise<void> {
    if (sessionIds.length === 0) return;
    notifyCancelled(await store.atomically((...within) => cancelIn(within, sessionIds, how)));
  }
  const openSessionIds = async (data: EngineData, accountId: string, checkId: string) =>
    (await data.sessions.openWithCheck(accountId, checkId)).map(({ id }) => id);
  async function deleteCheckWithin<T>(
    tx: StoreTransaction,
    [accountId, checkId]: readonly [accountId: string, checkId: string],
    remove: (tx: StoreTransaction) => Promise<T>,
  ): Promise<T> {
    await tx.checks.lock(accountId, checkId);
    const cancelled = await cancelIn([tx, tx], await openSessionIds(tx, accountId, checkId), {
      atOnce: true,
    });
    const removed = await remove(tx);
    tx.onCommit(() => {
      notifyCancelled(cancelled);
      options.onCheckDeleted(checkId);
    });
    return removed;
  }

  return {
    report,
    cancel,
    /**
     * Deletes a check with `remove`, and all its records. First cancels its sessions, and the test sessions that
     * contain it, because their verdict would lack its results. Sessions that start in between are cancelled in the
     * deleting transaction, because nothing else would release the sessions held in their batch.
     */
    async deleteCheck<T>(
      accountId: string,
      checkId: string,
      remove: (tx: StoreTransaction) => Promise<T>,
    ): Promise<T> {
      await cancel(await openSessionIds(store, accountId, checkId), { atOnce: true });
      // Lets waiters read the end of their session before it is deleted.
      await nextTick();
      return store.atomically((_, tx) => deleteCheckWithin(tx, [accountId, checkId], remove));
    },
    /** Cancels the sessions of a check and deletes it with `remove`, inside an open transaction. */
    deleteCheckWithin,
    /** Runs a change, and records the observations that it returns in the same transaction. */
    async observe(work: (data: EngineData) => Promise<readonly Observation[]>): Promise<void> {
      const { effects, planned } = await store.atomically(async (data, tx) =>
        recordObservations(createContext(data, tx), await work(data)),
      );
      if (planned.length === 0) return;
      options.onStarted(planned);
      options.onChange(effects);
    },
    /** Expires overdue runs and sessions. Returns the number of runs it recorded. */
    async expireOverdue(): Promise<number> {
      const effects = await store.atomically((data, tx) => expireOverdue(createContext(data, tx)));
      options.onChange(effects);
      return effects.attempts;
    },
  };
}

/** Delays between attempts, in ms. Each is twice the one before. */
const MIN_DELAY_MS = 125;
const MAX_DELAY_MS = 1000;

/** Throws the database's error once the signal is aborted, and any other error at once. */
export async function retryStore<T>(clock: Clock, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (let delay = MIN_DELAY_MS; ; delay = Math.min(MAX_DELAY_MS, delay * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseFault) || signal.aborted) throw error;
      await clock.sleep(delay, signal).catch(() => {});
    }
  }
}

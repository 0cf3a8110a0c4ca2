/** Lets the built-in worker claim and report runs of public locations. */

import { type AbortControllerLike, FastAbortController, whenAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { WakeSignal } from '../../../base/wake-signal.ts';
import type { EvaluationOrigin } from '../../../runners/core/runner.ts';
import { cancelledAttempt } from '../../../runners/execute.ts';
import type { Job, Report, WorkerPort } from '../../../worker/port.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { Run } from '../../store/engine/runs.ts';
import { DatabaseFault } from '../../store/index.ts';
import type { CheckSessionRow } from '../../store/tables/engine.ts';
import type { Plan } from './plan-session.ts';
import { PUBLIC_POOL } from './settings.ts';
import type { DirectLease, LeasedAttempt } from './start-sessions.ts';

interface LocalPortOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** Wakes the worker when a run may be claimable. */
  readonly workSignal: WakeSignal;
  /** The worker's name in its claims. */
  readonly worker: string;
  readonly leaseMs: number;
  /** How long released runs may wait for a claim, in ms. */
  readonly claimMs: number;
  /** Number of attempts to claim beyond the worker's capacity, so that one claim serves several rounds. Default: none. */
  readonly ahead?: number;
  /** Awaited before a claim, so that one claim serves several free slots. Default: no delay. */
  readonly coalesce?: (() => Promise<void>) | undefined;
  /** `isAwaited`: a client started the session, not the schedule. */
  readonly report: (runId: number, report: Report, isAwaited: boolean) => Promise<void>;
}

/** Number of reads of the client certificates while the database cannot be reached, and the pause between them in ms. */
const MAX_READS = 10;
const READ_PAUSE_MS = 200;

export interface Reservation extends DirectLease {
  /** Called once after the transaction. Starts the assigned attempts, or none if it was rolled back. */
  end(isCommitted: boolean): void;
}

interface IdleWorker {
  readonly capacity: () => number;
  isReserved: boolean;
  /** Ends the wait. Without jobs, the worker reads the store again. */
  wake(jobs: readonly Job[]): void;
}

interface RunningAttempt {
  readonly sessionId: string;
  readonly stop: AbortControllerLike;
  isAwaited: boolean;
}

const originOf = (session: Pick<CheckSessionRow, 'id' | 'account_id' | 'check_id'>): EvaluationOrigin => ({
  accountId: session.account_id,
  subjectId: session.check_id ?? session.id,
});

const isAwaited = (session: { readonly run_source: string } | undefined): boolean =>
  session?.run_source !== 'SCHEDULER';

export function createLocalPort(options: LocalPortOptions) {
  const { store, clock, workSignal, worker, leaseMs, claimMs, ahead = 0 } = options;
  const running = new Map<number, RunningAttempt>();
  /** Claimed attempts that the worker has no capacity for yet. They are also in `running`. */
  let next: readonly Job[] = [];
  let idle: IdleWorker | undefined;
  /** False: nothing is claimable until the next wake. */
  let canClaim = true;
  /** Attempts whose results are being stored. */
  const reporting = new Set<number>();
  /** True after a failed claim, which may have been committed. */
  let hasUnknownClaims = false;

  /** Releases claims of this worker that it does not run, which would otherwise wait for the end of their lease. */
  async function releaseUnknown(): Promise<void> {
    await store.runs.releaseAll(worker, [...running.keys(), ...reporting], clock.now() + claimMs);
    hasUnknownClaims = false;
    canClaim = true;
  }

  /** Waits once for the next wake. A waiter per claim would accumulate if wakes are rare. */
  function watchForWork(): void {
    canClaim = false;
    void workSignal.next().then(() => {
      canClaim = true;
      // A reserved worker gets its jobs soon, and checks afterwards.
      if (idle?.isReserved === false) idle.wake([]);
    });
  }

  /** Waits for a wake, for leased jobs, or for an abort. */
  function waitForJobs(capacity: () => number, aborted: Promise<void>): Promise<readonly Job[]> {
    return new Promise((resolve) => {
      const mine: IdleWorker = {
        capacity,
        isReserved: false,
        wake(jobs) {
          if (idle === mine) idle = undefined;
          resolve(jobs);
        },
      };
      idle = mine;
      void aborted.then(() => mine.isReserved || mine.wake([]));
    });
  }

  /** Returns a function that reads the client certificates of an account when a run needs them. A lost connection fails no run. */
  const certificatesOf = (accountId: string) => async () => {
    for (let read = 1; ; read += 1) {
      try {
        return (await store.clientCertificates.list(accountId)).map(({ body }) => body);
      } catch (error) {
        if (!(error instanceof DatabaseFault) || read === MAX_READS) throw error;
        await clock.sleep(READ_PAUSE_MS);
      }
    }
  };

  function toJob({ id, run, session, plan }: LeasedAttempt): Job {
    const stop = running.get(id)?.stop ?? new FastAbortController();
    return {
      id,
      checkType: session.check_type,
      check: plan.check,
      location: run.location,
      timeoutMs: run.timeout_ms,
      secrets: plan.secrets,
      origin: originOf(session),
      clientCertificates: certificatesOf(session.account_id),
      stop,
      notBefore: run.not_before,
    };
  }

  async function toJobs(runs: readonly Run[]): Promise<Job[]> {
    // Registered before the sessions are read, so that no cancellation in between is missed.
    for (const { id, session_id: sessionId } of runs)
      running.set(id, { sessionId, stop: new FastAbortController(), isAwaited: false });
    const sessions = new Map(
      (await store.sessions.byIds([...new Set(runs.map((run) => run.session_id))])).map((session) => [
        session.id,
        session,
      ]),
    );
    return runs.map((run) => {
      const session = sessions.get(run.session_id);
      const mine = running.get(run.id);
      if (mine) mine.isAwaited = isAwaited(session);
      const stop = mine?.stop ?? new FastAbortController();
      const plan = session?.plan ? (JSON.parse(session.plan) as Plan) : undefined;
      if (plan === undefined || session?.cancelled_at !== null) stop.abort();
      return {
        id: run.id,
        checkType: session?.check_type ?? '',
        check: plan?.check,
        location: run.location,
        timeoutMs: run.timeout_ms,
        secrets: plan?.secrets ?? [],
        ...(session ? { origin: originOf(session) } : {}),
        clientCertificates: certificatesOf(run.account_id),
        stop,
      };
    });
  }

  /** Returns the first of the claimed attempts, up to the capacity. */
  function takeNext(capacity: () => number): readonly Job[] {
    const count = Math.max(0, capacity());
    const jobs = next.slice(0, count);
    next = next.slice(count);
    return jobs;
  }

  const port: WorkerPort = {
    async claim(capacity, signal) {
      if (next.length > 0) return takeNext(capacity);
      const { aborted, dispose } = whenAborted(signal);
      let runs: readonly Run[] = [];
      try {
        while (!signal.aborted) {
          if (hasUnknownClaims) await releaseUnknown();
          if (canClaim) {
            await options.coalesce?.();
            if (signal.aborted) break;
            const now = clock.now();
            const free = capacity();
            if (free <= 0) return [];
            const limit = free + ahead;
            watchForWork();
            runs = await store.runs.claim({
              worker,
              pool: PUBLIC_POOL,
              now,
              leaseUntil: now + leaseMs,
              limit,
            });
            if (runs.length >= limit) canClaim = true;
            if (runs.length > 0) {
              next = await toJobs(runs);
              return takeNext(capacity);
            }
          }
          const jobs = canClaim ? [] : await waitForJobs(capacity, aborted);
          if (jobs.length > 0) return jobs;
        }
        return [];
      } catch (error) {
        canClaim = true;
        hasUnknownClaims = true;
        for (const { id } of runs) running.delete(id);
        throw error;
      } finally {
        dispose();
      }
    },
    async renew(started) {
      const ids = [...started, ...next.map(({ id }) => id)];
      const held = new Set(await store.runs.renew(worker, ids, clock.now() + leaseMs));
      for (const id of ids) if (!held.has(id)) running.get(id)?.stop.abort();
      // Another service on this store may have received the cancellation.
      for (const id of await store.runs.cancelledAmong([...held])) running.get(id)?.stop.abort();
    },
    async report(id, report) {
      const awaited = running.get(id)?.isAwaited === true;
      running.delete(id);
      reporting.add(id);
      try {
        await options.report(id, report, awaited);
      } finally {
        reporting.delete(id);
      }
    },
    async release(ids) {
      for (const id of ids) running.delete(id);
      await store.runs.release(worker, ids, clock.now() + claimMs);
    },
  };
  return {
    ...port,
    /** Releases claimed attempts that the stopped worker did not start. */
    async releaseNext(): Promise<void> {
      const ids = next.map(({ id }) => id);
      next = [];
      await port.release(ids);
    },
    /**
     * Reserves the worker if it is idle and has capacity. It then leases attempts in the transaction that creates them,
     * and claims no others until `end`. Returns undefined otherwise.
     */
    reserve(now: number): Reservation | undefined {
      const waiting = idle;
      const capacity = waiting?.capacity() ?? 0;
      if (waiting === undefined || waiting.isReserved || capacity <= 0) return undefined;
      waiting.isReserved = true;
      let assigned: readonly LeasedAttempt[] = [];
      const unassign = () => {
        for (const { id } of assigned) running.delete(id);
        assigned = [];
      };
      return {
        worker,
        capacity,
        leaseUntil: now + leaseMs,
        assignedCount: () => assigned.length,
        assign(attempts) {
          unassign();
          assigned = attempts;
          // Registered before the commit, so that a cancellation finds the attempt.
          for (const { id, session } of attempts)
            running.set(id, {
              sessionId: session.id,
              stop: new FastAbortController(),
              isAwaited: isAwaited(session),
            });
        },
        end(isCommitted) {
          if (!isCommitted) {
            unassign();
            hasUnknownClaims = true;
          }
          waiting.wake(assigned.map(toJob));
        },
      };
    },
    /** Stops running attempts, and reports those that were cancelled before they started. */
    stopRuns(ids: readonly number[]): void {
      for (const id of ids) running.get(id)?.stop.abort();
      const cancelled = next.filter(({ stop }) => stop.signal.aborted);
      next = next.filter(({ stop }) => !stop.signal.aborted);
      // After a failure, the lease expires and the attempt is reported by its next claim.
      for (const { id } of cancelled) port.report(id, cancelledAttempt(clock.now())).catch(() => {});
    },
    /** Stops running attempts of sessions that have ended. */
    stopSessions(ids: readonly string[]): void {
      if (running.size === 0 || ids.length === 0) return;
      const ended = new Set(ids);
      for (const { sessionId, stop } of running.values()) if (ended.has(sessionId)) stop.abort();
    },
  };
}

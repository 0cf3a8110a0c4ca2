/** The built-in worker's door to the queue: public locations, in this process. */

import type { Clock } from '../../../base/clock.ts';
import { Stop, type Stopper } from '../../../base/stop.ts';
import { type Bell, whenAborted } from '../../../base/wake-signal.ts';
import type { Job, Report, WorkerPort } from '../../../worker/port.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { Plan } from './plan.ts';
import { PUBLIC_POOL } from './settings.ts';
import type { Handing, Taken } from './start.ts';

export interface LocalPortOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** Rings when something may be claimable. */
  readonly work: Bell;
  /** The worker's own name: its claims go by it. */
  readonly worker: string;
  readonly leaseMs: number;
  /** How long what is given back may wait to be claimed, in ms. */
  readonly claimMs: number;
  /** Waited for before the queue is asked: where places are freed one by one, it is asked for several. Left out: at once. */
  readonly gather?: (() => Promise<void>) | undefined;
  /** `isAwaited`: its session was started by somebody, not by its tick. */
  readonly report: (runId: number, report: Report, isAwaited: boolean) => Promise<void>;
}

export interface LocalPort extends WorkerPort {
  /** Stops runs that are under way here. */
  stopRuns(ids: readonly number[]): void;
  /** Stops what is under way here of sessions that have ended. */
  stopSessions(ids: readonly string[]): void;
  /**
   * The worker, where it waits for work and has places: it then takes attempts in the transaction that makes them, and no
   * others until `end`. Undefined where it has none.
   */
  reserve(now: number): Reserved | undefined;
}

export interface Reserved extends Handing {
  /** To be called once, when the transaction is over: it gets what it holds, or nothing where it was given up. */
  end(isCommitted: boolean): void;
}

/** A worker that waits. */
interface Idle {
  readonly capacity: () => number;
  isReserved: boolean;
  /** Ends the wait; with nothing, it looks into the store again. */
  wake(jobs: readonly Job[]): void;
}

/** An attempt that is made here. */
interface Underway {
  readonly sessionId: string;
  readonly stop: Stopper;
  isAwaited: boolean;
}

const isAwaited = (session: { readonly run_source: string } | undefined): boolean =>
  session?.run_source !== 'SCHEDULER';

export function localPort(options: LocalPortOptions): LocalPort {
  const { store, clock, work, worker, leaseMs, claimMs } = options;
  const underway = new Map<number, Underway>();
  let idle: Idle | undefined;
  /** False: nothing can be claimed before the bell rings. */
  let mayClaim = true;
  /** Attempts whose results are being stored. */
  const reporting = new Set<number>();
  /** A claim failed: it may have been committed, and its answer lost. */
  let mayHoldMore = false;

  /** Gives back what this worker holds and does not run: it would else wait until its lease ends. */
  async function giveBackUnknown(): Promise<void> {
    await store.runs.releaseAll(worker, [...underway.keys(), ...reporting], clock.now() + claimMs);
    mayHoldMore = false;
    mayClaim = true;
  }

  /** Asked once until the bell rings: what waited for it each time would pile up where it seldom does. */
  function listen(): void {
    mayClaim = false;
    void work.next().then(() => {
      mayClaim = true;
      // While it is reserved it gets its answer soon, and looks then.
      if (idle?.isReserved === false) idle.wake([]);
    });
  }

  /** Waits for the bell, for what is handed over, or until it is aborted. */
  function handed(capacity: () => number, aborted: Promise<void>): Promise<readonly Job[]> {
    return new Promise((resolve) => {
      const mine: Idle = {
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

  function jobOf({ id, run, session, plan }: Taken): Job {
    const stop = underway.get(id)?.stop ?? new Stop();
    return {
      id,
      checkType: session.check_type,
      check: plan.check,
      location: run.location,
      timeoutMs: run.timeout_ms,
      secrets: plan.secrets,
      stop,
      notBefore: run.not_before,
    };
  }

  async function jobsOf(runs: readonly Run[]): Promise<Job[]> {
    // Registered before the sessions are read: a cancellation is either seen there or finds its run here.
    for (const { id, session_id: sessionId } of runs)
      underway.set(id, { sessionId, stop: new Stop(), isAwaited: false });
    const sessions = new Map(
      (await store.sessions.byIds([...new Set(runs.map((run) => run.session_id))])).map((session) => [
        session.id,
        session,
      ]),
    );
    return runs.map((run) => {
      const session = sessions.get(run.session_id);
      const mine = underway.get(run.id);
      if (mine) mine.isAwaited = isAwaited(session);
      const stop = mine?.stop ?? new Stop();
      const plan = session?.plan ? (JSON.parse(session.plan) as Plan) : undefined;
      if (plan === undefined || session?.cancelled_at !== null) stop.abort();
      return {
        id: run.id,
        checkType: session?.check_type ?? '',
        check: plan?.check,
        location: run.location,
        timeoutMs: run.timeout_ms,
        secrets: plan?.secrets ?? [],
        stop,
      };
    });
  }

  return {
    async claim(capacity, signal) {
      const { aborted, forget } = whenAborted(signal);
      let runs: readonly Run[] = [];
      try {
        while (!signal.aborted) {
          if (mayHoldMore) await giveBackUnknown();
          if (mayClaim) {
            await options.gather?.();
            if (signal.aborted) break;
            const now = clock.now();
            const limit = capacity();
            if (limit <= 0) return [];
            listen();
            runs = await store.runs.claim({
              ...{ worker, pool: PUBLIC_POOL, now, leaseUntil: now + leaseMs, limit },
            });
            if (runs.length >= limit) mayClaim = true;
            if (runs.length > 0) return await jobsOf(runs);
          }
          const jobs = mayClaim ? [] : await handed(capacity, aborted);
          if (jobs.length > 0) return jobs;
        }
        return [];
      } catch (error) {
        mayClaim = true;
        mayHoldMore = true;
        for (const { id } of runs) underway.delete(id);
        throw error;
      } finally {
        forget();
      }
    },
    reserve(now) {
      const waiting = idle;
      const capacity = waiting?.capacity() ?? 0;
      if (waiting === undefined || waiting.isReserved || capacity <= 0) return undefined;
      waiting.isReserved = true;
      let holds: readonly Taken[] = [];
      const letGo = () => {
        for (const { id } of holds) underway.delete(id);
        holds = [];
      };
      return {
        ...{ worker, capacity, leaseUntil: now + leaseMs },
        holding: () => holds.length,
        hold(taken) {
          letGo();
          holds = taken;
          // Before the commit: whoever cancels such a session finds its attempt here.
          for (const { id, session } of taken)
            underway.set(id, {
              sessionId: session.id,
              stop: new Stop(),
              isAwaited: isAwaited(session),
            });
        },
        end(isCommitted) {
          if (!isCommitted) {
            letGo();
            mayHoldMore = true;
          }
          waiting.wake(holds.map(jobOf));
        },
      };
    },
    async renew(ids) {
      const held = new Set(await store.runs.renew(worker, ids, clock.now() + leaseMs));
      for (const id of ids) if (!held.has(id)) underway.get(id)?.stop.abort();
      // Another service of this store may have been asked to stop them.
      for (const id of await store.runs.cancelledAmong([...held])) underway.get(id)?.stop.abort();
    },
    async report(id, report) {
      const awaited = underway.get(id)?.isAwaited === true;
      underway.delete(id);
      reporting.add(id);
      try {
        await options.report(id, report, awaited);
      } finally {
        reporting.delete(id);
      }
    },
    async release(ids) {
      for (const id of ids) underway.delete(id);
      await store.runs.release(worker, ids, clock.now() + claimMs);
    },
    stopRuns(ids) {
      for (const id of ids) underway.get(id)?.stop.abort();
    },
    stopSessions(ids) {
      if (underway.size === 0 || ids.length === 0) return;
      const ended = new Set(ids);
      for (const { sessionId, stop } of underway.values()) if (ended.has(sessionId)) stop.abort();
    },
  };
}

/** The built-in worker's door to the queue: public locations, in this process. */
import type { Clock } from '../../base/clock.ts';
import type { Job, Report, WorkerPort } from '../../worker/port.ts';
import type { EngineStore } from '../store/engine/index.ts';
import type { Run } from '../store/engine/runs.ts';
import { type Bell, whenAborted } from './bell.ts';
import type { Plan } from './plan.ts';
import { PUBLIC_POOL } from './settings.ts';

export interface LocalPortOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  /** Rings when something may be claimable. */
  readonly work: Bell;
  /** The worker's own name: its claims go by it. */
  readonly worker: string;
  readonly leaseMs: number;
  readonly report: (runId: number, report: Report) => Promise<void>;
}

export interface LocalPort extends WorkerPort {
  /** Stops runs that are under way here. */
  stopRuns(ids: readonly number[]): void;
  /** Stops what is under way here of sessions that have ended. */
  stopSessions(ids: readonly string[]): void;
}

export function localPort(options: LocalPortOptions): LocalPort {
  const { store, clock, work, worker, leaseMs } = options;
  const underway = new Map<number, { readonly sessionId: string; readonly stop: AbortController }>();

  async function jobsOf(runs: readonly Run[]): Promise<Job[]> {
    // Registered before the sessions are read: a cancellation is either seen there or finds its run here.
    for (const run of runs) underway.set(run.id, { sessionId: run.session_id, stop: new AbortController() });
    const sessions = new Map(
      (await store.sessions.byIds([...new Set(runs.map((run) => run.session_id))])).map((session) => [
        session.id,
        session,
      ]),
    );
    return runs.map((run) => {
      const session = sessions.get(run.session_id);
      const stop = underway.get(run.id)?.stop ?? new AbortController();
      const plan = session?.plan ? (JSON.parse(session.plan) as Plan) : undefined;
      if (plan === undefined || session?.cancelled_at !== null) stop.abort();
      return {
        id: run.id,
        checkType: session?.check_type ?? '',
        check: plan?.check,
        location: run.location,
        timeoutMs: run.timeout_ms,
        secrets: plan?.secrets ?? [],
        signal: stop.signal,
      };
    });
  }

  return {
    async claim(capacity, signal) {
      const { aborted, forget } = whenAborted(signal);
      try {
        while (!signal.aborted) {
          const rung = work.next();
          const now = clock.now();
          const runs = await store.runs.claim({
            ...{ worker, pool: PUBLIC_POOL, now, leaseUntil: now + leaseMs, limit: capacity },
          });
          if (runs.length > 0) return await jobsOf(runs);
          await Promise.race([rung, aborted]);
        }
        return [];
      } finally {
        forget();
      }
    },
    async renew(ids) {
      const held = new Set(await store.runs.renew(worker, ids, clock.now() + leaseMs));
      for (const id of ids) if (!held.has(id)) underway.get(id)?.stop.abort();
    },
    async report(id, report) {
      underway.delete(id);
      await options.report(id, report);
    },
    async release(ids) {
      for (const id of ids) underway.delete(id);
      await store.runs.release(worker, ids);
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

/** Runs checks from files in this process, without a store: with the plans, the retries and the worker of the engine. */
import { FastAbortController, onAbort, raceWithAbort } from '../../../base/abort.ts';
import type { CancelTimer } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import { createWakeSignal } from '../../../base/wake-signal.ts';
import type { Job, Report, WorkerPort } from '../../../worker/port.ts';
import { startWorker, type WorkerOptions } from '../../../worker/worker.ts';
import { type LocalAttempt, LocalSession, type LocalSessionBody } from './local-session.ts';
import { type LocalAccount, type LocalCheck, planChecks } from './plan-checks.ts';

export type { LocalResult, LocalSessionBody } from './local-session.ts';
export type { LocalAccount, LocalCheck } from './plan-checks.ts';

export interface RunChecksOptions
  extends LocalAccount,
    Omit<WorkerOptions, 'port' | 'renewMs' | 'concurrency'> {
  readonly random: Random;
  readonly checks: readonly LocalCheck[];
  /** The location of results. */
  readonly location: string;
  /** Whether failed attempts are repeated. */
  readonly retries: boolean;
  /** Values that must not appear in results, besides the secrets of the checks. */
  readonly secrets: readonly string[];
  /** Stores the files of a report. Returns the report to show. */
  readonly storeFiles: (report: Report, session: LocalSessionBody) => Promise<Report>;
  /** Called when a failed attempt will be repeated at `retryAt`, in ms since the epoch. */
  readonly onRetry: (session: LocalSessionBody, retryAt: number) => void;
}

/** The answer to a poll, as the gate expects it. */
export type PollAnswer =
  | { readonly kind: 'body'; readonly body: LocalSessionBody }
  | { readonly kind: 'pending' };

export interface RunningChecks {
  /** Returns the current state of all sessions. */
  readSessions(): readonly LocalSessionBody[];
  /** Returns a session when it ends, or after `maxWaitSeconds`; 0 returns its current state. */
  poll(id: string, maxWaitSeconds: number, signal: AbortSignal): Promise<PollAnswer>;
  /** Cancels a session. Its running attempt stops. */
  cancel(id: string): void;
  /** Stops all attempts. */
  close(): Promise<void>;
}

/** Maximum concurrent attempts, as in a service (ENGINE_DEFAULTS). */
const CONCURRENCY = 10;
/** Claims in memory need no renewal. */
const RENEW_MS = 24 * 60 * 60 * 1000;

/** An attempt that waits or runs. */
interface Entry {
  readonly session: LocalSession;
  readonly attempt: LocalAttempt;
}

/** Starts one session of each check. */
export function runChecks(options: RunChecksOptions): RunningChecks {
  const { clock, random, storeFiles, onRetry } = options;
  const planned = planChecks(options.checks, { ...options, now: clock.now(), uuid: random.uuid });
  const sessions = new Map(planned.map((one) => [one.session.id, new LocalSession(one)]));
  const held = [...sessions.values()].filter(({ isHeld }) => isHeld);
  const waiting: Entry[] = [...sessions.values()]
    .filter(({ isHeld }) => !isHeld)
    .map((session) => ({ session, attempt: session.firstAttempt() }));
  const running = new Map<number, Entry & Pick<Job, 'stop'>>();
  const work = createWakeSignal();
  const timers = new Set<CancelTimer>();
  let lastJob = 0;

  function toJob(entry: Entry): Job {
    const { session, attempt } = entry;
    const id = ++lastJob;
    const stop = new FastAbortController();
    running.set(id, { ...entry, stop });
    return {
      id,
      stop,
      checkType: session.checkType,
      check: session.plan.check,
      location: attempt.location,
      timeoutMs: session.timeoutMs,
      secrets: [...options.secrets, ...session.plan.secrets],
      clientCertificates: undefined,
    };
  }

  function enqueue(entry: Entry): void {
    waiting.push(entry);
    timers.add(clock.timer(entry.attempt.notBefore - clock.now(), work.wake));
    work.wake();
  }

  /** Starts the next session of a group whose concurrency is limited. */
  function releaseNext({ batch }: LocalSession): void {
    const index = batch === null ? -1 : held.findIndex((session) => session.batch === batch);
    const [next] = index < 0 ? [] : held.splice(index, 1);
    if (next !== undefined) enqueue({ session: next, attempt: next.firstAttempt() });
  }

  const takeDue = (capacity: number): readonly Entry[] => {
    const due = waiting.filter(({ attempt }) => attempt.notBefore <= clock.now()).slice(0, capacity);
    for (const entry of due) remove(waiting, (one) => one === entry);
    return due;
  };

  const port: WorkerPort = {
    async claim(capacity, signal) {
      const unlink = onAbort(signal, work.wake);
      try {
        while (!signal.aborted) {
          const woken = work.next();
          const due = takeDue(capacity());
          if (due.length > 0) return due.map(toJob);
          await woken;
        }
        return [];
      } finally {
        unlink();
      }
    },
    renew: async () => {},
    release: async (ids) => {
      for (const id of ids) running.delete(id);
    },
    async report(id, report) {
      const entry = running.get(id);
      if (entry === undefined) return;
      const { session, attempt } = entry;
      const stored = await storeFiles(report, session.body(clock.now()));
      running.delete(id);
      const now = clock.now();
      const retry = session.record(attempt, stored, random.uuid(), now);
      if (retry === undefined) return releaseNext(session);
      enqueue({ session, attempt: retry });
      onRetry(session.body(now), retry.notBefore);
    },
  };
  const worker = startWorker({ ...options, port, concurrency: CONCURRENCY, renewMs: RENEW_MS });

  return {
    readSessions: () => [...sessions.values()].map((session) => session.body(clock.now())),
    async poll(id, maxWaitSeconds, signal) {
      const session = sessions.get(id);
      if (session === undefined) throw new Error(`no session ${id}`);
      const until = clock.monotonic() + maxWaitSeconds * 1000;
      const cancelTimer = clock.timer(maxWaitSeconds * 1000, session.changed.wake);
      try {
        while (maxWaitSeconds > 0 && !session.hasEnded) {
          if (clock.monotonic() >= until) return { kind: 'pending' };
          await raceWithAbort(session.changed.next(), signal);
        }
        return { kind: 'body', body: session.body(clock.now()) };
      } finally {
        cancelTimer();
      }
    },
    cancel(id) {
      const session = sessions.get(id);
      if (session === undefined) return;
      session.isCancelled = true;
      const current = [...running.values()].find((entry) => entry.session === session);
      if (current !== undefined) return current.stop.abort('cancelled');
      remove(waiting, (entry) => entry.session === session);
      remove(held, (one) => one === session);
      session.end(clock.now());
    },
    async close() {
      for (const cancelTimer of timers) cancelTimer();
      waiting.length = 0;
      held.length = 0;
      await worker.stop(0);
    },
  };
}

function remove<T>(list: T[], matches: (item: T) => boolean): void {
  const index = list.findIndex(matches);
  if (index >= 0) list.splice(index, 1);
}

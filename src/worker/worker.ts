/** Claims attempts, runs them and reports their results. The service and agents share this code. */

import type { AbortControllerLike, AbortSignalLike } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Evaluate, QueuedRunner, RunContext, Runner, RunSlot } from '../runners/core/runner.ts';
import { EMPTY_OUTCOME, execute } from '../runners/execute.ts';
import type { ClosableRunFiles, RunFileStore } from '../runners/files/run-file-store.ts';
import { type Job, RELEASED, type Report, type WorkerPort } from './port.ts';
import { traceparentOf } from './trace-context.ts';

/** Policy of the service and resources of this machine for runs. */
export type RunEnvironment = Pick<
  RunContext,
  'denyAddress' | 'allowsOpenNetwork' | 'lookup' | 'proxyFor' | 'capture' | 'uplink'
>;

export interface WorkerOptions extends RunEnvironment {
  readonly port: WorkerPort;
  readonly clock: Clock;
  /** Evaluates the answers of targets. */
  readonly evaluate: Evaluate;
  /** Runners by check type. An attempt of another type is reported as a monitor error. */
  readonly runners: Runners;
  /** The resolvers of this machine. */
  readonly resolvers: RunContext['resolvers'];
  /** Number of attempts to run at once. */
  readonly concurrency: number;
  /** Milliseconds between renewals: a fraction of the claim's duration. */
  readonly renewMs: number;
  /** Folders for the files of runs. Default: files are dropped. */
  readonly places?: RunFileStore | undefined;
  /** Called with the result of each attempt, before it is reported. It must not throw. */
  readonly onAttempt?: ((job: Job, report: Report) => void) | undefined;
  /** Called on errors of the port. The worker continues. */
  readonly onError: (message: string, error: unknown) => void;
}

/** A runner accepts only checks of its type. */
export type Runners = Readonly<Record<string, Runner<never> | QueuedRunner<never>>>;

export interface Worker {
  active(): number;
  /** Stops claiming, waits for running attempts, and releases those that are not done after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Maximum number of attempts that wait for a runner or for their report. Above it nothing is claimed. */
const MAX_WAITING = 500;
/** Attempts claimed early start on this grid, in ms, so that one timer serves several. None starts too early. */
const START_GRID_MS = 20;
/** Delay after an error of the port, in ms. */
const RETRY_DELAY_MS = 1000;

export function startWorker(options: WorkerOptions): Worker {
  const { port, clock, concurrency, onError } = options;
  const running = new Map<number, { readonly stop: AbortControllerLike; readonly done: Promise<void> }>();
  /** Running attempts that wait for a runner or for their report, and so do not count against the concurrency. */
  const waiting = new Set<number>();
  const stopping = new AbortController();
  const ended = new AbortController();
  let onCapacity = () => {};

  const capacity = () => (waiting.size >= MAX_WAITING ? 0 : concurrency - (running.size - waiting.size));

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (capacity() <= 0) {
        await new Promise<void>((resolve) => {
          onCapacity = resolve;
        });
        continue;
      }
      try {
        const jobs = await port.claim(capacity, stopping.signal);
        for (const job of jobs) startJob(job);
      } catch (error) {
        if (stopping.signal.aborted) return;
        onError('cannot claim runs', error);
        await clock.sleep(RETRY_DELAY_MS, stopping.signal).catch(() => {});
      }
    }
  }

  function startJob(job: Job): void {
    const done = runJob(job).finally(() => {
      running.delete(job.id);
      waiting.delete(job.id);
      onCapacity();
    });
    running.set(job.id, { stop: job.stop, done });
  }

  async function runJob(job: Job): Promise<void> {
    const { signal } = job.stop;
    let turn: RunSlot<unknown> | undefined;
    let leaving: Promise<void> | undefined;
    const files = options.places?.open();
    try {
      await waitForStart(job, signal);
      turn = await enterRunner(job, signal);
      // Long runs have their own concurrency limit.
      if (isLong(job)) {
        waiting.add(job.id);
        onCapacity();
      }
      const report = await executeJob(job, turn?.run, files, options);
      // Ends leftover processes now, because reporting may take as long as an outage of the service.
      leaving = leaveRunner(job, turn);
      waiting.add(job.id);
      onCapacity();
      if (report.isCancelled && signal.reason === RELEASED) await port.release([job.id]);
      else {
        options.onAttempt?.(job, report);
        await port.report(job.id, report);
      }
    } catch (error) {
      onError(`cannot report the result of run ${job.id}`, error);
    } finally {
      await (leaving ?? leaveRunner(job, turn));
      await files?.close();
    }
  }

  async function leaveRunner(job: Job, turn: RunSlot<unknown> | undefined): Promise<void> {
    await turn?.release().catch((error: unknown) => onError(`cannot clean up after run ${job.id}`, error));
  }

  /** Waits for the start time of an attempt that was claimed early, or until it is cancelled. */
  async function waitForStart({ notBefore = 0 }: Job, signal: AbortSignalLike): Promise<void> {
    const now = clock.now();
    const ms = Math.ceil(notBefore / START_GRID_MS) * START_GRID_MS - now;
    if (notBefore > now) await clock.sleep(ms, signal).catch(() => {});
  }

  const runnerOf = ({ checkType }: Job) =>
    Object.hasOwn(options.runners, checkType) ? options.runners[checkType] : undefined;
  function isLong(job: Job): boolean {
    const runner = runnerOf(job);
    return typeof runner === 'object' && runner.isLong === true;
  }

  /** Waits for the runner of an attempt. Returns undefined if there is none for its type. */
  async function enterRunner(job: Job, signal: AbortSignalLike): Promise<RunSlot<unknown> | undefined> {
    const runner = runnerOf(job);
    if (runner === undefined) return undefined;
    if (typeof runner === 'function') return { run: runner as Runner<unknown>, release: async () => {} };
    waiting.add(job.id);
    onCapacity();
    try {
      return await (runner as QueuedRunner<unknown>).acquireSlot(job.check, signal);
    } catch (error) {
      // The attempt was cancelled while it waited, so it ends before it starts.
      if (signal.aborted) return { run: () => Promise.reject(error), release: async () => {} };
      throw error;
    } finally {
      waiting.delete(job.id);
    }
  }

  async function renewLoop(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await clock.sleep(options.renewMs, ended.signal);
        if (running.size > 0) await port.renew([...running.keys()]);
      } catch (error) {
        if (!ended.signal.aborted) onError('cannot renew claims', error);
      }
    }
  }

  const loops = Promise.all([claimLoop(), renewLoop()]);
  const whenIdle = async () => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ done }) => done));
  };
  return {
    active: () => running.size,
    async stop(graceMs) {
      stopping.abort();
      onCapacity();
      const grace = new AbortController();
      await Promise.race([whenIdle(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const { stop } of running.values()) stop.abort(RELEASED);
      await whenIdle();
      ended.abort();
      await loops;
      // A claim that was in progress may have returned more attempts.
      await whenIdle();
    },
  };
}

async function executeJob(
  job: Job,
  runner: Runner<unknown> | undefined,
  files: ClosableRunFiles | undefined,
  options: WorkerOptions,
): Promise<Report> {
  const { clock, denyAddress, allowsOpenNetwork, lookup, proxyFor, capture, uplink } = options;
  if (runner === undefined) {
    const now = clock.now();
    const errors = [`this version does not run ${job.checkType} checks`];
    const times = { startedAt: now, stoppedAt: now };
    return { ...EMPTY_OUTCOME, ...times, hasErrors: true, isCancelled: false, errors, mayRetry: false };
  }
  const context: RunContext = {
    clock,
    evaluate: (evaluation, input, signal) => options.evaluate(evaluation, input, signal, job.origin),
    location: job.location,
    resolvers: options.resolvers,
    timeoutMs: job.timeoutMs,
    secrets: job.secrets,
    denyAddress,
    allowsOpenNetwork,
    lookup,
    proxyFor,
    capture,
    uplink,
    clientCertificates: job.clientCertificates,
    files,
    traceparent: traceparentOf(job),
  };
  return execute(runner, job.check, context, {
    deadlineMs: job.timeoutMs,
    stop: job.stop,
    secrets: job.secrets,
  });
}

/** The worker: claims attempts, runs them, reports them; the same code in the service and in an agent. */

import type { Clock } from '../base/clock.ts';
import type { Stopper, StopSignal } from '../base/stop.ts';
import { execute } from '../runners/execute.ts';
import type { ClosableRunFiles, RunFileStore } from '../runners/files/run-file-store.ts';
import type { Judge, QueuedRunner, RunContext, Runner, RunSlot } from '../runners/types.ts';
import { GIVEN_BACK, type Job, type Report, type WorkerPort } from './port.ts';

/** What runs find around them besides: rules of the service, and what this machine has. */
export type Surroundings = Pick<RunContext, 'denyAddress' | 'lookup' | 'proxyFor' | 'capture'>;

export interface WorkerOptions extends Surroundings {
  readonly port: WorkerPort;
  readonly clock: Clock;
  /** Judges what targets answer. */
  readonly judge: Judge;
  /** Keyed by check type. A type that is not there is reported as an error of the monitor. */
  readonly runners: Runners;
  /** The resolvers of this machine. */
  readonly resolvers: RunContext['resolvers'];
  /** How many attempts are made at once. */
  readonly concurrency: number;
  /** Milliseconds between two renewals of claims: a fraction of what a claim lasts. */
  readonly renewMs: number;
  /** Where runs put files that they leave; left out: they are kept nowhere. */
  readonly places?: RunFileStore | undefined;
  /** Told of what went wrong with the port; the worker goes on. */
  readonly onError: (message: string, error: unknown) => void;
}

/** Each runner trusts that it is given checks of its own type. */
export type Runners = Readonly<Record<string, Runner<never> | QueuedRunner<never>>>;

export interface Worker {
  /** Attempts under way. */
  active(): number;
  /** Claims no more, waits for what is under way, and gives back what is not over after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** So many may wait for their turn or to be handed in; then nothing is claimed until one of them has it. */
const MOST_WAITING = 500;
/** What is handed out early starts on a grid of so many ms, so that waking serves several: none starts before its instant. */
const SLACK_MS = 20;
/** How long the worker rests after the port failed, in ms. */
const REST_MS = 1000;

export function startWorker(options: WorkerOptions): Worker {
  const { port, clock, concurrency, onError } = options;
  const running = new Map<number, { readonly stop: Stopper; readonly over: Promise<void> }>();
  /** Those of them that wait for their turn, or to be handed in: they keep no other attempt from its place. */
  const waiting = new Set<number>();
  const stopping = new AbortController();
  const ended = new AbortController();
  let freed = () => {};

  const capacity = () => (waiting.size >= MOST_WAITING ? 0 : concurrency - (running.size - waiting.size));

  async function claiming(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (capacity() <= 0) {
        await new Promise<void>((resolve) => {
          freed = resolve;
        });
        continue;
      }
      try {
        const jobs = await port.claim(capacity, stopping.signal);
        for (const job of jobs) begin(job);
      } catch (error) {
        if (stopping.signal.aborted) return;
        onError('cannot claim runs', error);
        await clock.sleep(REST_MS, stopping.signal).catch(() => {});
      }
    }
  }

  function begin(job: Job): void {
    const over = attempt(job).finally(() => {
      running.delete(job.id);
      waiting.delete(job.id);
      freed();
    });
    running.set(job.id, { stop: job.stop, over });
  }

  async function attempt(job: Job): Promise<void> {
    const { signal } = job.stop;
    let turn: RunSlot<unknown> | undefined;
    let left: Promise<void> | undefined;
    const place = options.places?.open();
    try {
      await instantOf(job, signal);
      turn = await turnOf(job, signal);
      // What may take long has a place of its own.
      if (isLong(job)) {
        waiting.add(job.id);
        freed();
      }
      const report = await made(job, turn?.run, place, options);
      // What it left running ends now: handing in may take as long as a service is away.
      left = leave(job, turn);
      waiting.add(job.id);
      freed();
      if (report.isCancelled && signal.reason === GIVEN_BACK) await port.release([job.id]);
      else await port.report(job.id, report);
    } catch (error) {
      onError(`cannot report the result of run ${job.id}`, error);
    } finally {
      await (left ?? leave(job, turn));
      await place?.close();
    }
  }

  async function leave(job: Job, turn: RunSlot<unknown> | undefined): Promise<void> {
    await turn?.release().catch((error: unknown) => onError(`cannot clean up after run ${job.id}`, error));
  }

  /** Keeps its place until it may start: what is handed out early starts on time. Cancelled before, it ends at once. */
  async function instantOf({ notBefore = 0 }: Job, signal: StopSignal): Promise<void> {
    const now = clock.now();
    const ms = Math.ceil(notBefore / SLACK_MS) * SLACK_MS - now;
    if (notBefore > now) await clock.sleep(ms, signal).catch(() => {});
  }

  const runnerOf = ({ checkType }: Job) =>
    Object.hasOwn(options.runners, checkType) ? options.runners[checkType] : undefined;
  function isLong(job: Job): boolean {
    const found = runnerOf(job);
    return typeof found === 'object' && found.isLong === true;
  }

  /** The runner of an attempt, once it has its turn; undefined where there is none. */
  async function turnOf(job: Job, signal: StopSignal): Promise<RunSlot<unknown> | undefined> {
    const found = runnerOf(job);
    if (found === undefined) return undefined;
    if (typeof found === 'function') return { run: found as Runner<unknown>, release: async () => {} };
    waiting.add(job.id);
    freed();
    try {
      return await (found as QueuedRunner<unknown>).acquireSlot(job.check, signal);
    } catch (error) {
      // Cancelled while it waited: its attempt ends before it begins.
      if (signal.aborted) return { run: () => Promise.reject(error), release: async () => {} };
      throw error;
    } finally {
      waiting.delete(job.id);
    }
  }

  async function renewing(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await clock.sleep(options.renewMs, ended.signal);
        if (running.size > 0) await port.renew([...running.keys()]);
      } catch (error) {
        if (!ended.signal.aborted) onError('cannot renew claims', error);
      }
    }
  }

  const loops = Promise.all([claiming(), renewing()]);
  const idle = async () => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ over }) => over));
  };
  return {
    active: () => running.size,
    async stop(graceMs) {
      stopping.abort();
      freed();
      const grace = new AbortController();
      await Promise.race([idle(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const { stop } of running.values()) stop.abort(GIVEN_BACK);
      await idle();
      ended.abort();
      await loops;
      // What a claim brought that was under way when the worker was told to stop.
      await idle();
    },
  };
}

async function made(
  job: Job,
  runner: Runner<unknown> | undefined,
  place: ClosableRunFiles | undefined,
  options: WorkerOptions,
): Promise<Report> {
  const { clock, judge, denyAddress, lookup, proxyFor, capture } = options;
  if (runner === undefined) return notRunnable(job, clock.now());
  const context: RunContext = {
    ...{ clock, judge },
    location: job.location,
    resolvers: options.resolvers,
    timeoutMs: job.timeoutMs,
    secrets: job.secrets,
    ...(denyAddress === undefined ? {} : { denyAddress }),
    ...(lookup === undefined ? {} : { lookup }),
    ...(proxyFor === undefined ? {} : { proxyFor }),
    ...(capture === undefined ? {} : { capture }),
    ...(place === undefined ? {} : { files: place }),
  };
  return execute(runner, job.check, context, {
    deadlineMs: job.timeoutMs,
    stop: job.stop,
    secrets: job.secrets,
  });
}

/** A check of a type that cannot be run here: the monitor's own fault, recorded as such. */
function notRunnable({ checkType }: Job, now: number): Report {
  return {
    hasFailures: false,
    hasErrors: true,
    isDegraded: false,
    overMaxResponseTime: false,
    isNetworkError: false,
    isCancelled: false,
    responseTime: null,
    errors: [`this version does not run ${checkType} checks`],
    details: {},
    startedAt: now,
    stoppedAt: now,
    mayRetry: false,
  };
}

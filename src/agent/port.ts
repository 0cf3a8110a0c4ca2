/** The worker's port over HTTP: claims by long poll, kept while the service hears of them, and handed in by way of the spool. */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { Stop, type Stopper } from '../base/stop.ts';
import type { claimRuns, ResponseOf } from '../contract/index.ts';
import type { Job, WorkerPort } from '../worker/port.ts';
import { createResult } from './create-result.ts';
import type { Delivery } from './delivery.ts';
import { createBackoff, isRefusedKey, type Link } from './link.ts';
import type { Liveness } from './liveness.ts';
import { holdInMemory, type Result, type ResultFiles, type Spool, type SpooledResult } from './spool.ts';

export interface AgentPort extends WorkerPort {
  /** Runs that are under way or not handed in yet. */
  held(): readonly number[];
  /** Until when the last of those that are under way must be over, by the clock that nobody sets; undefined: none is. */
  lastDeadline(): number | undefined;
}

export interface AgentPortOptions {
  readonly link: Link;
  readonly spool: Spool;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly liveness: Liveness;
  readonly concurrency: number;
  readonly checkTypes: readonly string[];
  readonly runtimes: readonly string[];
  /** The largest file that the service takes, in bytes. */
  readonly artifactBytes: number;
  /** Told what holds at the location, before what was claimed with it begins. */
  readonly onLocation: (location: ResponseOf<typeof claimRuns>['location']) => void;
}

/** A claim waits so long for work, in s. */
const CLAIM_SECONDS = 25;
/** A renewal waits so long for news, in s: what is claimed meanwhile is heard of by the next. */
const RENEW_SECONDS = 10;
/** Questions that find nothing are so far apart, in ms. */
const LEAST_QUESTION_MS = 1000;
/** What a question and the rest after it may take, in ms. */
const QUESTION_MS = (CLAIM_SECONDS + 30) * 1000;
/** What a run may take beyond its time until its place is free, in ms. */
const AFTER_RUN_MS = 30_000;
/** Attempts to give runs back. */
const RELEASES = 2;

/** The check type whose runs take up to an hour, one at a time, in a place of its own beside the short ones. */
const SUITE = 'PLAYWRIGHT';

interface HeldRun {
  readonly claimId: string;
  readonly stop: Stopper;
  readonly checkType: string;
  readonly timeoutMs: number;
  readonly deadline: number;
  /** It is over, and has no place any more. */
  isOver: boolean;
  /** It was given to another, or its session is over. */
  isLost: boolean;
}

export function createAgentPort(options: AgentPortOptions): AgentPort {
  const { link, spool, delivery, clock, random, log, liveness, concurrency } = options;
  const held = new Map<number, HeldRun>();
  let freed = () => {};
  /** A claim whose answer did not come: asked again until it does. */
  let pending: string | undefined;
  /** Called when a suite is over: another may be asked for. */
  let suiteOver = () => {};
  let watching = new AbortController();
  let isCut = false;
  /** Results that no disk has. */
  let unsaved = 0;

  const underway = () => [...held.values()].filter(({ isOver }) => !isOver);

  function letGo(id: number): void {
    held.delete(id);
    freed();
    if (held.size === 0) watching.abort();
  }

  function jobOf(run: ResponseOf<typeof claimRuns>['runs'][number], claimId: string): Job {
    const stop = new Stop();
    if (run.isCancelled) stop.abort();
    const deadline = clock.monotonic() + run.timeoutMs;
    const { id, checkType, check, location, timeoutMs, secrets } = run;
    held.set(id, { claimId, stop, checkType, timeoutMs, deadline, isOver: false, isLost: false });
    return { id, checkType, check, location, timeoutMs, secrets, stop };
  }

  const short = () => underway().filter(({ checkType }) => checkType !== SUITE);
  /** How many runs there is room for; none while results are in memory alone: those that may be lost stay few. */
  const room = (capacity: () => number) =>
    unsaved > 0 ? 0 : Math.min(capacity(), concurrency - short().length);

  /** What is asked for: no second suite beside one that runs or waits, since it would keep short checks from its place. */
  function asked(most: number) {
    const { checkTypes, runtimes } = options;
    const isSuiteHeld = underway().some(({ checkType }) => checkType === SUITE);
    const able = checkTypes.filter((type) => type !== SUITE || !isSuiteHeld);
    const capacity = able.includes(SUITE) ? 1 : most;
    return { capacity, checkTypes: able, runtimes: [...runtimes] };
  }

  /** Until a place is free nothing else is to be seen of it: one run may wait until another is over, as suites do. */
  function beatWhileRunning(): void {
    const longest = underway().reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
    liveness.beat(longest + AFTER_RUN_MS);
  }

  async function untilFreed(signal: AbortSignal): Promise<void> {
    // A result that no disk has is waited for as long as it takes.
    if (unsaved > 0) liveness.beat(QUESTION_MS);
    else beatWhileRunning();
    const aborted = new AbortController();
    const wait = unsaved > 0 ? clock.sleep(QUESTION_MS / 2, aborted.signal).catch(() => {}) : undefined;
    await new Promise<void>((resolve) => {
      freed = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true, signal: aborted.signal });
      if (signal.aborted) resolve();
      void wait?.then(resolve);
    });
    aborted.abort();
  }

  function tellOf(error: unknown): void {
    if (!isCut && !isRefusedKey(error)) log.warn({ err: error }, 'service unreachable; retrying');
    isCut = true;
  }
  function tellReached(): void {
    if (isCut) log.info('the service responds again');
    isCut = false;
  }

  async function renewed(): Promise<void> {
    const ids = [...held.keys()];
    // What is over is left behind by its runner: of that there is no news.
    if (ids.length === 0) return;
    if (watching.signal.aborted) watching = new AbortController();
    const { signal } = watching;
    let answer: Awaited<ReturnType<Link['renew']>>;
    try {
      answer = await link.renew({ runs: ids, waitSeconds: RENEW_SECONDS }, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const still = new Set(answer.held);
    for (const id of ids) {
      const run = held.get(id);
      if (run === undefined || still.has(id) || run.isOver) continue;
      log.warn({ run: id }, 'stopped a run: another agent has it, or its session is over');
      run.isLost = true;
      run.stop.abort();
    }
    for (const id of answer.cancelled) held.get(id)?.stop.abort();
  }

  /** The result on disk; where that takes it not, in memory, and said so. */
  async function saved(result: Result, files: ResultFiles): Promise<SpooledResult> {
    try {
      return await spool.put(result, files);
    } catch (error) {
      const about = { err: error, run: result.runId };
      log.error(about, 'cannot write to the spool; holding results in memory and claiming no more runs');
      return holdInMemory(result, files);
    }
  }

  return {
    held: () => [...held.keys()],
    lastDeadline() {
      const deadlines = underway().map(({ deadline }) => deadline);
      return deadlines.length === 0 ? undefined : Math.max(...deadlines);
    },

    async claim(capacity, signal) {
      const waits = createBackoff(clock, random);
      while (!signal.aborted) {
        const most = room(capacity);
        if (most <= 0) {
          await untilFreed(signal);
          continue;
        }
        liveness.beat(QUESTION_MS);
        const began = clock.monotonic();
        pending ??= randomUUID();
        const claimId = pending;
        const question = new AbortController();
        const leave = () => question.abort();
        signal.addEventListener('abort', leave, { once: true });
        suiteOver = leave;
        try {
          const said = { claimId, ...asked(most), waitSeconds: CLAIM_SECONDS };
          const { runs, location } = await link.claim(said, question.signal);
          options.onLocation(location);
          pending = undefined;
          waits.reset();
          tellReached();
          if (runs.length > 0) {
            const jobs = runs.map((run) => jobOf(run, claimId));
            // Who has no place left asks for nothing until one is free.
            beatWhileRunning();
            return jobs;
          }
          // Whatever answers at once that there is nothing, it is not asked without end.
          const early = began + LEAST_QUESTION_MS - clock.monotonic();
          if (early > 0) await clock.sleep(early, signal).catch(() => {});
        } catch (error) {
          if (signal.aborted) break;
          if (question.signal.aborted) continue;
          tellOf(error);
          await waits.wait(signal).catch(() => {});
        } finally {
          signal.removeEventListener('abort', leave);
          suiteOver = () => {};
        }
      }
      return [];
    },

    renew: renewed,

    async report(id, found) {
      const run = held.get(id);
      if (run === undefined) return;
      run.isOver = true;
      freed();
      if (run.checkType === SUITE) suiteOver();
      try {
        if (run.isLost) return;
        const { result, files } = createResult(
          { runId: id, claimId: run.claimId, agentId: link.agentId },
          found,
          options,
        );
        const spooled = await saved(result, files);
        if (spooled.isInMemory) unsaved += 1;
        try {
          await delivery.deliver(spooled);
        } catch (error) {
          if (!spooled.isInMemory) throw error;
          log.error({ run: id }, 'lost a result that could neither be sent nor stored; returning the run');
        } finally {
          if (spooled.isInMemory) unsaved -= 1;
        }
      } finally {
        letGo(id);
      }
    },

    async release(ids) {
      for (const id of ids) letGo(id);
      for (let tried = 1; ; tried += 1) {
        try {
          return await link.release({ keep: [...held.keys()], isLeaving: false });
        } catch (error) {
          if (tried === RELEASES) throw error;
        }
      }
    },
  };
}

/** Connects the worker to the service: claims runs by long poll, renews their leases and delivers results via the spool. */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  type AbortControllerLike,
  createLinkedController,
  FastAbortController,
  onAbort,
} from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { claimRuns, ResponseOf } from '../contract/index.ts';
import type { Job, WorkerPort } from '../worker/port.ts';
import { createResult } from './create-result.ts';
import type { Delivery } from './delivery.ts';
import type { Liveness } from './health.ts';
import { createBackoff, isRefusedKey, type Link } from './link.ts';
import { holdInMemory, type Result, type ResultFiles, type Spool, type SpooledResult } from './spool.ts';

export interface AgentPort extends WorkerPort {
  /** Runs that are in progress or not delivered yet. */
  held(): readonly number[];
  /** Latest deadline of the runs in progress, on the monotonic clock; undefined: none in progress. */
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
  readonly runtimes: () => Promise<readonly string[]>;
  /** Maximum file size of the service, in bytes. */
  readonly artifactBytes: number;
  /** Called with the settings of the location before the claimed runs start. */
  readonly onLocation: (location: ResponseOf<typeof claimRuns>['location']) => void;
}

/** Long-poll time of a claim, in s. */
const CLAIM_SECONDS = 25;
/** Long-poll time of a renewal, in s. The next renewal covers runs claimed meanwhile. */
const RENEW_SECONDS = 10;
/** Minimum interval between claims without work, in ms. */
const MIN_CLAIM_INTERVAL_MS = 1000;
/** Time limit of a claim and its backoff, in ms. */
const CLAIM_LIMIT_MS = (CLAIM_SECONDS + 30) * 1000;
/** Time until a slot is free after the timeout of its run, in ms. */
const SLOT_RELEASE_MS = 30_000;
/** Attempts to release runs. */
const RELEASE_ATTEMPTS = 2;

/** Check type with runs of up to an hour. One runs at a time, in a separate slot. */
const SUITE = 'PLAYWRIGHT';

interface HeldRun {
  readonly claimId: string;
  readonly stop: AbortControllerLike;
  readonly checkType: string;
  readonly timeoutMs: number;
  readonly deadline: number;
  /** The run is over and its slot is free. */
  isOver: boolean;
  /** Another agent has the run, or its session is over. */
  isLost: boolean;
}

export function createAgentPort(options: AgentPortOptions): AgentPort {
  const { link, spool, delivery, clock, random, log, liveness, concurrency } = options;
  const held = new Map<number, HeldRun>();
  let onSlotFree = () => {};
  /** ID of a claim without an answer, which is repeated. */
  let pendingClaimId: string | undefined;
  /** Called when a suite is over, so that another can be claimed. */
  let onSuiteOver = () => {};
  let watching = new AbortController();
  let isOffline = false;
  /** Number of results in memory only. */
  let unsaved = 0;

  const listInProgress = () => [...held.values()].filter(({ isOver }) => !isOver);

  function forgetRun(id: number): void {
    held.delete(id);
    onSlotFree();
    if (held.size === 0) watching.abort();
  }

  function holdJob(
    run: ResponseOf<typeof claimRuns>['runs'][number],
    claimId: string,
    certificates: NonNullable<ResponseOf<typeof claimRuns>['clientCertificates']>,
  ): Job {
    const stop = new FastAbortController();
    if (run.isCancelled) stop.abort();
    const deadline = clock.monotonic() + run.timeoutMs;
    const { id, checkType, check, location, timeoutMs, secrets } = run;
    held.set(id, { claimId, stop, checkType, timeoutMs, deadline, isOver: false, isLost: false });
    const clientCertificates = async () => certificates;
    return { id, checkType, check, location, timeoutMs, secrets, clientCertificates, stop };
  }

  const listShortRuns = () => listInProgress().filter(({ checkType }) => checkType !== SUITE);
  /** Returns the number of free slots; 0 while results are in memory only, to limit how many can be lost. */
  const countFreeSlots = (capacity: () => number) =>
    unsaved > 0 ? 0 : Math.min(capacity(), concurrency - listShortRuns().length);

  /** Creates the claim request. Excludes suites while one is held, because a second one would block a slot. */
  async function createClaimRequest(freeSlots: number) {
    const { checkTypes } = options;
    const runtimes = await options.runtimes();
    const isSuiteHeld = listInProgress().some(({ checkType }) => checkType === SUITE);
    const claimableTypes = checkTypes.filter((type) => type !== SUITE || !isSuiteHeld);
    const capacity = claimableTypes.includes(SUITE) ? 1 : freeSlots;
    return { capacity, checkTypes: claimableTypes, runtimes: [...runtimes] };
  }

  /** Announces no progress until a slot is free. Runs may wait for each other, as suites do, so their timeouts add up. */
  function announceRuns(): void {
    const longest = listInProgress().reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
    liveness.beat(longest + SLOT_RELEASE_MS);
  }

  async function waitForSlot(signal: AbortSignal): Promise<void> {
    // The delivery of a result in memory may take any time.
    if (unsaved > 0) liveness.beat(CLAIM_LIMIT_MS);
    else announceRuns();
    const waiting = createLinkedController(signal);
    await new Promise<void>((resolve) => {
      onSlotFree = resolve;
      onAbort(waiting.signal, resolve);
      if (unsaved > 0) clock.sleep(CLAIM_LIMIT_MS / 2, waiting.signal).then(resolve, resolve);
    });
    waiting.unlink();
    waiting.abort();
  }

  function warnUnreachable(error: unknown): void {
    if (!isOffline && !isRefusedKey(error)) log.warn({ err: error }, 'service unreachable; retrying');
    isOffline = true;
  }
  function logReachable(): void {
    if (isOffline) log.info('the service responds again');
    isOffline = false;
  }

  async function renew(): Promise<void> {
    const ids = [...held.keys()];
    // Without held runs there is nothing to renew.
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
    const stillHeld = new Set(answer.held);
    for (const id of ids) {
      const run = held.get(id);
      if (run === undefined || stillHeld.has(id) || run.isOver) continue;
      log.warn({ run: id }, 'stopped a run: another agent has it, or its session is over');
      run.isLost = true;
      run.stop.abort();
    }
    for (const id of answer.cancelled) held.get(id)?.stop.abort();
  }

  /** Stores the result on disk, or logs the error and keeps it in memory. */
  async function save(result: Result, files: ResultFiles): Promise<SpooledResult> {
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
      const deadlines = listInProgress().map(({ deadline }) => deadline);
      return deadlines.length === 0 ? undefined : Math.max(...deadlines);
    },

    async claim(capacity, signal) {
      const backoff = createBackoff(clock, random);
      while (!signal.aborted) {
        const freeSlots = countFreeSlots(capacity);
        if (freeSlots <= 0) {
          await waitForSlot(signal);
          continue;
        }
        liveness.beat(CLAIM_LIMIT_MS);
        const began = clock.monotonic();
        pendingClaimId ??= randomUUID();
        const claimId = pendingClaimId;
        const claimAbort = createLinkedController(signal);
        onSuiteOver = () => claimAbort.abort();
        try {
          const request = { claimId, ...(await createClaimRequest(freeSlots)), waitSeconds: CLAIM_SECONDS };
          const { runs, location, clientCertificates = [] } = await link.claim(request, claimAbort.signal);
          options.onLocation(location);
          pendingClaimId = undefined;
          backoff.reset();
          logReachable();
          if (runs.length > 0) {
            const jobs = runs.map((run) => holdJob(run, claimId, clientCertificates));
            // There may be no free slot now, and then no claim until one is.
            announceRuns();
            return jobs;
          }
          // Limits the rate of claims if something answers at once that there is no work.
          const early = began + MIN_CLAIM_INTERVAL_MS - clock.monotonic();
          if (early > 0) await clock.sleep(early, signal).catch(() => {});
        } catch (error) {
          if (signal.aborted) break;
          if (claimAbort.signal.aborted) continue;
          warnUnreachable(error);
          await backoff.wait(signal).catch(() => {});
        } finally {
          claimAbort.unlink();
          onSuiteOver = () => {};
        }
      }
      return [];
    },

    renew,

    async report(id, report) {
      const run = held.get(id);
      if (run === undefined) return;
      run.isOver = true;
      onSlotFree();
      if (run.checkType === SUITE) onSuiteOver();
      try {
        if (run.isLost) return;
        const { result, files } = createResult(
          { runId: id, claimId: run.claimId, agentId: link.agentId },
          report,
          options,
        );
        const spooled = await save(result, files);
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
        forgetRun(id);
      }
    },

    async release(ids) {
      for (const id of ids) forgetRun(id);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await link.release({ keep: [...held.keys()], isLeaving: false });
        } catch (error) {
          if (attempt === RELEASE_ATTEMPTS) throw error;
        }
      }
    },
  };
}

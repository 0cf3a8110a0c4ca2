/** Executes one attempt of a check of any type: enforces the deadline, classifies errors, and removes secrets. */

import { type AbortControllerLike, type AbortSignalLike, FastAbortController } from '../base/abort.ts';
import { formatLongDuration } from '../base/format-duration.ts';
import type { RunContext, Runner, RunOutcome } from './core/runner.ts';
import { outcomeScrubbing } from './masking/scrub.ts';

/** Limits of an attempt, and the secrets to mask. */
export interface ExecuteOptions {
  /** Time after which the attempt is stopped and recorded as a monitor error, in ms. */
  readonly deadlineMs: number;
  /** Cancels the attempt when aborted. `execute` aborts it at the end, so that leftover work of the runner ends too. */
  readonly stop?: AbortControllerLike;
  /** Values that must not appear in errors and details (secret variables, passwords). */
  readonly secrets?: readonly string[];
}

/** A finished attempt. */
export interface Attempt extends RunOutcome {
  /** True if the caller cancelled the attempt. It then has no findings and no failure. */
  readonly isCancelled: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/** The outcome of an attempt that found nothing. */
export const EMPTY_OUTCOME: RunOutcome = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: null,
  errors: [],
  details: {},
};

/** Returns a cancelled attempt, which stops now. */
export const cancelledAttempt = (now: number, startedAt = now): Attempt => ({
  ...EMPTY_OUTCOME,
  isCancelled: true,
  startedAt,
  stoppedAt: now,
});

/**
 * Runs one attempt. Never rejects: an error of the runner or a missed deadline sets `hasErrors`, never `hasFailures`;
 * an abort by the caller sets only `isCancelled`. A runner that ignores its signal is abandoned, and its later results
 * and errors are ignored.
 */
export async function execute<Check>(
  runner: Runner<Check>,
  check: Check,
  context: RunContext,
  options: ExecuteOptions,
): Promise<Attempt> {
  const { clock } = context;
  const { deadlineMs, stop = new FastAbortController(), secrets = [] } = options;
  const { signal } = stop;
  const startedAt = clock.now();
  if (signal.aborted) return cancelledAttempt(startedAt);
  let resolveStopped: (outcome: RunOutcome | undefined) => void = () => {};
  const stopPromise = new Promise<RunOutcome | undefined>((resolve) => {
    resolveStopped = resolve;
  });
  const onAbort = () => resolveStopped(undefined);
  signal.addEventListener('abort', onAbort);
  const cancelTimer = clock.timer(deadlineMs, () =>
    resolveStopped(monitorError(`the run was stopped at its deadline of ${formatLongDuration(deadlineMs)}`)),
  );
  try {
    const run = async () =>
      scrubOutcome(await runSafely(runner, check, context, signal), secrets, context, signal);
    const outcome = await Promise.race([stopPromise, run()]);
    if (outcome === undefined) return cancelledAttempt(clock.now(), startedAt);
    const stoppedAt = clock.now();
    // After the deadline: probing canaries must not turn a failure of the target into a monitor error.
    const concluded = await blameUplink(outcome, context, startedAt);
    return { ...concluded, isCancelled: false, startedAt, stoppedAt };
  } finally {
    signal.removeEventListener('abort', onAbort);
    cancelTimer();
    // A reason avoids the cost of an error with a stack for each attempt.
    stop.abort('over');
  }
}

async function runSafely<Check>(
  runner: Runner<Check>,
  check: Check,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  try {
    return await runner(check, context, signal);
  } catch (error) {
    if (hasName(error, 'InvalidCheck'))
      return { ...EMPTY_OUTCOME, hasFailures: true, errors: [error.message] };
    if (hasName(error, 'CannotRun')) return monitorError(error.message);
    return monitorError(`internal error: ${formatError(error)}`);
  }
}

/** Returns a monitor error instead of a missing answer if the network of this machine was down. */
async function blameUplink(
  { isUnanswered = false, ...outcome }: RunOutcome,
  { uplink }: RunContext,
  startedAt: number,
): Promise<RunOutcome> {
  if (uplink === undefined || !(outcome.isNetworkError || isUnanswered)) return outcome;
  const outage = await uplink.findOutage(startedAt);
  if (outage === undefined) return outcome;
  const { errors, details, artifacts } = outcome;
  return { ...monitorError(outage), errors: [outage, ...errors], details, ...(artifacts && { artifacts }) };
}

/** Recognizes an error by its name, because a lazy-loaded runner has its own copy of the class. */
const hasName = (error: unknown, name: string): error is Error =>
  error instanceof Error && error.name === name;

const formatError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the outcome without secrets, or a monitor error if masking fails. */
async function scrubOutcome(
  outcome: RunOutcome,
  secrets: readonly string[],
  { evaluate }: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  if (!secrets.some((secret) => secret !== '')) return outcome;
  const { errors, details } = outcome;
  try {
    return { ...outcome, ...(await evaluate(outcomeScrubbing, { errors, details, secrets }, signal)) };
  } catch (error) {
    return monitorError(`secrets could not be masked in the result: ${formatError(error)}`);
  }
}

function monitorError(message: string): RunOutcome {
  return { ...EMPTY_OUTCOME, hasErrors: true, errors: [message] };
}

/** One attempt of a check, whatever its type: under a deadline, classified, and scrubbed of secrets. */
import { scrubber } from './scrub.ts';
import { CannotRun, type RunContext, type Runner, type RunOutcome } from './types.ts';

/** What bounds an attempt and what must not be seen of it. */
export interface ExecuteOptions {
  /** Milliseconds after which the attempt is stopped and recorded as an error of the monitor. */
  readonly deadlineMs: number;
  /** Aborted by whoever wants the attempt cancelled. */
  readonly signal?: AbortSignal;
  /** Values that appear nowhere in errors and details (secret variables, passwords). */
  readonly secrets?: readonly string[];
}

/** An attempt that is over. */
export interface Attempt extends RunOutcome {
  /** True where the caller's signal ended it: then it found nothing, and nothing counts as failed. */
  readonly isCancelled: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly stoppedAt: number;
}

const NOTHING: RunOutcome = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: null,
  errors: [],
  details: {},
};

/**
 * Runs one attempt. Never rejects: what the runner throws and a deadline that passes are `hasErrors`, never
 * `hasFailures`; an abort by the caller is `isCancelled` and nothing else. A runner that ignores its signal is left
 * behind, and what it still does or throws changes nothing.
 */
export async function execute<Check>(
  runner: Runner<Check>,
  check: Check,
  context: RunContext,
  options: ExecuteOptions,
): Promise<Attempt> {
  const { clock } = context;
  const { deadlineMs, signal, secrets = [] } = options;
  const startedAt = clock.now();
  const ended = (outcome: RunOutcome, isCancelled: boolean): Attempt => ({
    ...outcome,
    isCancelled,
    startedAt,
    stoppedAt: clock.now(),
  });
  if (signal?.aborted) return ended(NOTHING, true);
  const stop = new AbortController();
  let onAbort = () => {};
  const cancelled = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
  });
  signal?.addEventListener('abort', onAbort);
  try {
    const outcome = await Promise.race([
      cancelled,
      runSafely(runner, check, context, stop.signal),
      deadline(context, deadlineMs, stop.signal),
    ]);
    if (outcome === undefined) return ended(NOTHING, true);
    const scrub = scrubber(secrets);
    return ended({ ...outcome, errors: scrub(outcome.errors), details: scrub(outcome.details) }, false);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // With a reason: without one an error with its stack is built for each attempt.
    stop.abort('over');
  }
}

async function runSafely<Check>(
  runner: Runner<Check>,
  check: Check,
  context: RunContext,
  signal: AbortSignal,
): Promise<RunOutcome> {
  try {
    return await runner(check, context, signal);
  } catch (error) {
    if (error instanceof CannotRun) return failed(error.message);
    return failed(`internal error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Resolves at the deadline; once `stop` is aborted it resolves as well, with what nobody waits for any more. */
async function deadline({ clock }: RunContext, ms: number, stop: AbortSignal): Promise<RunOutcome> {
  try {
    await clock.sleep(ms, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return failed(`the run was stopped at its deadline of ${ms} ms`);
}

function failed(message: string): RunOutcome {
  return { ...NOTHING, hasErrors: true, errors: [message] };
}

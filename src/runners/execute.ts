/** One attempt of a check, whatever its type: under a deadline, classified, and scrubbed of secrets. */
import {
  type AbortControllerLike,
  type AbortSignalLike,
  FastAbortController,
} from '../base/fast-abort-controller.ts';
import { outcomeScrubbing } from './scrub.ts';
import { CannotRun, type RunContext, type Runner, type RunOutcome } from './types.ts';

/** What bounds an attempt and what must not be seen of it. */
export interface ExecuteOptions {
  /** Milliseconds after which the attempt is stopped and recorded as an error of the monitor. */
  readonly deadlineMs: number;
  /** Aborted by whoever wants the attempt cancelled; once it is over by `execute`, so that what the runner left behind ends too. */
  readonly stop?: AbortControllerLike;
  /** Values that appear nowhere in errors and details (secret variables, passwords). */
  readonly secrets?: readonly string[];
}

/** An attempt that is over. */
export interface Attempt extends RunOutcome {
  /** True where the caller ended it: then it found nothing, and nothing counts as failed. */
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
  const { deadlineMs, stop = new FastAbortController(), secrets = [] } = options;
  const { signal } = stop;
  const startedAt = clock.now();
  const cancelled = (): Attempt => ({ ...NOTHING, isCancelled: true, startedAt, stoppedAt: clock.now() });
  if (signal.aborted) return cancelled();
  let stopped: (outcome: RunOutcome | undefined) => void = () => {};
  const stopping = new Promise<RunOutcome | undefined>((resolve) => {
    stopped = resolve;
  });
  const onAbort = () => stopped(undefined);
  signal.addEventListener('abort', onAbort);
  const callOff = clock.timer(deadlineMs, () =>
    stopped(failed(`the run was stopped at its deadline of ${deadlineMs} ms`)),
  );
  try {
    const run = async () =>
      scrubbed(await runSafely(runner, check, context, signal), secrets, context, signal);
    const outcome = await Promise.race([stopping, run()]);
    if (outcome === undefined) return cancelled();
    return { ...outcome, isCancelled: false, startedAt, stoppedAt: clock.now() };
  } finally {
    signal.removeEventListener('abort', onAbort);
    callOff();
    // With a reason: without one an error with its stack is built for each attempt.
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
    if (error instanceof CannotRun) return failed(error.message);
    return failed(`internal error: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The outcome without the values of secrets; nothing of it where they could not be masked. */
async function scrubbed(
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
    return failed(`secrets could not be masked in the result: ${messageOf(error)}`);
  }
}

function failed(message: string): RunOutcome {
  return { ...NOTHING, hasErrors: true, errors: [message] };
}

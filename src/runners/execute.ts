/** One attempt of a check, whatever its type: under a deadline, classified, and scrubbed of secrets. */
import { Stop, type Stopper, type StopSignal } from '../base/stop.ts';
import { scrubbedOutcome } from './scrub.ts';
import { CannotRun, type RunContext, type Runner, type RunOutcome } from './types.ts';

/** What bounds an attempt and what must not be seen of it. */
export interface ExecuteOptions {
  /** Milliseconds after which the attempt is stopped and recorded as an error of the monitor. */
  readonly deadlineMs: number;
  /** Aborted by whoever wants the attempt cancelled; once it is over by `execute`, so that what the runner left behind ends too. */
  readonly stop?: Stopper;
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

const EMPTY_OUTCOME: RunOutcome = {
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
  const { deadlineMs, stop = new Stop(), secrets = [] } = options;
  const { signal } = stop;
  const startedAt = clock.now();
  const cancelledAttempt = (): Attempt => ({
    ...EMPTY_OUTCOME,
    isCancelled: true,
    startedAt,
    stoppedAt: clock.now(),
  });
  if (signal.aborted) return cancelledAttempt();
  let resolveStopped: (outcome: RunOutcome | undefined) => void = () => {};
  const stopPromise = new Promise<RunOutcome | undefined>((resolve) => {
    resolveStopped = resolve;
  });
  const onAbort = () => resolveStopped(undefined);
  signal.addEventListener('abort', onAbort);
  const cancelTimer = clock.timer(deadlineMs, () =>
    resolveStopped(monitorError(`the run was stopped at its deadline of ${deadlineMs} ms`)),
  );
  try {
    const run = async () =>
      scrubOutcome(await runSafely(runner, check, context, signal), secrets, context, signal);
    const outcome = await Promise.race([stopPromise, run()]);
    if (outcome === undefined) return cancelledAttempt();
    return { ...outcome, isCancelled: false, startedAt, stoppedAt: clock.now() };
  } finally {
    signal.removeEventListener('abort', onAbort);
    cancelTimer();
    // With a reason: without one an error with its stack is built for each attempt.
    stop.abort('over');
  }
}

async function runSafely<Check>(
  runner: Runner<Check>,
  check: Check,
  context: RunContext,
  signal: StopSignal,
): Promise<RunOutcome> {
  try {
    return await runner(check, context, signal);
  } catch (error) {
    if (error instanceof CannotRun) return monitorError(error.message);
    return monitorError(`internal error: ${formatError(error)}`);
  }
}

const formatError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The outcome without the values of secrets; nothing of it where they could not be masked. */
async function scrubOutcome(
  outcome: RunOutcome,
  secrets: readonly string[],
  { judge }: RunContext,
  signal: StopSignal,
): Promise<RunOutcome> {
  if (!secrets.some((secret) => secret !== '')) return outcome;
  const { errors, details } = outcome;
  try {
    return { ...outcome, ...(await judge(scrubbedOutcome, { errors, details, secrets }, signal)) };
  } catch (error) {
    return monitorError(`secrets could not be masked in the result: ${formatError(error)}`);
  }
}

function monitorError(message: string): RunOutcome {
  return { ...EMPTY_OUTCOME, hasErrors: true, errors: [message] };
}

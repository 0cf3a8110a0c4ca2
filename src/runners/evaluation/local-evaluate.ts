/** Evaluates answers in this process, for checks of the user who runs it. Nobody else waits for the process. */
import { runWithinLimit, TooSlowError } from '../assertions/watchdog.ts';
import { CannotRun, type Evaluate } from '../core/runner.ts';

/** Time limit of an evaluation, in ms, as of a retry in an isolated process. */
const LIMIT_MS = 10_000;

/** Returns an evaluator that stops an evaluation after `limitMs`, even in the middle of an expression. */
export const createLocalEvaluate =
  (limitMs = LIMIT_MS): Evaluate =>
  async (evaluation, input, signal) => {
    signal.throwIfAborted();
    try {
      return runWithinLimit(() => evaluation.run(input), limitMs);
    } catch (error) {
      if (!(error instanceof TooSlowError)) throw error;
      throw new CannotRun(
        `the response could not be evaluated: it ${error.message}. Use fewer or simpler assertions, or a smaller response`,
      );
    }
  };

/** Runs a user-written expression (a regular expression, a JSONPath filter) under a time limit. */
import { Script } from 'node:vm';
import { errorCode } from '../network/fault.ts';

/**
 * Time limit of an expression, in ms. It blocks the process, so the limit is tight, but far above the time of normal
 * expressions, so that a busy machine does not fail a good check.
 */
const EXPRESSION_LIMIT_MS = 500;

const SLOT = Symbol.for('sonde.watchdog');

/** The expression exceeded a limit. */
export class TooSlowError extends Error {}

/**
 * Returns the result of `work`; throws TooSlowError after `limitMs`. V8's watchdog also interrupts a backtracking
 * regular expression, unlike a timer. A script sees only globals, so `work` is passed in a global slot during this
 * synchronous call.
 */
export function runWithinLimit<Result>(work: () => Result, limitMs = EXPRESSION_LIMIT_MS): Result {
  const slots = globalThis as unknown as Record<symbol, (() => Result) | undefined>;
  slots[SLOT] = work;
  try {
    return new Script('globalThis[Symbol.for("sonde.watchdog")]()').runInThisContext({ timeout: limitMs });
  } catch (error) {
    if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new TooSlowError(`took longer than ${limitMs} ms`);
    }
    throw error;
  } finally {
    delete slots[SLOT];
  }
}

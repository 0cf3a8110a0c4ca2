/** Runs an expression that a user wrote (a regular expression, a JSONPath filter) under a time limit. */
import { Script } from 'node:vm';

/**
 * Milliseconds such an expression may take. While it runs nothing else does, so the limit is tight; yet a busy machine
 * must not make a failure of a good check, so it is far above what an honest expression takes.
 */
const EXPRESSION_LIMIT_MS = 500;

const SLOT = Symbol.for('sonde.watchdog');

/** The expression was stopped at its time limit. */
export class TooSlowError extends Error {}

/**
 * Calls `work` and answers what it returns; throws TooSlowError where it takes longer than `limitMs`.
 * V8 looks at the watchdog while a regular expression backtracks as well, which no timer of ours could.
 * A script sees globals only, hence the slot: it is filled and emptied within this synchronous call.
 */
export function runWithinLimit<Result>(work: () => Result, limitMs = EXPRESSION_LIMIT_MS): Result {
  let result: { value: Result } | undefined;
  const slots = globalThis as unknown as Record<symbol, (() => void) | undefined>;
  slots[SLOT] = () => {
    result = { value: work() };
  };
  try {
    new Script('globalThis[Symbol.for("sonde.watchdog")]()').runInThisContext({ timeout: limitMs });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new TooSlowError(`took longer than ${limitMs} ms`);
    }
    throw error;
  } finally {
    delete slots[SLOT];
  }
  if (result === undefined) throw new TooSlowError(`took longer than ${limitMs} ms`);
  return result.value;
}

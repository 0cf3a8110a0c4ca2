/** Agentic checks: a model would carry them out, and none is at hand. */
import { CannotRun, type RunOutcome } from './types.ts';

/** Always throws CannotRun: the monitor's own fault, never the target's. */
export async function run(): Promise<RunOutcome> {
  throw new CannotRun(
    'no model is at hand that could carry out an agentic check: it is stored, and nothing was looked at',
  );
}

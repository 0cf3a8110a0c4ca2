/** Runs a runner in a test: with the machine's clock, and without what a test does not name. */
import { systemClock } from '../../src/base/clock.ts';
import type { RunContext, Runner, RunOutcome } from '../../src/runners/types.ts';
import { hastyClock } from './dns/run.ts';

export { hastyClock };

export function surroundings(changes: Partial<RunContext> = {}): RunContext {
  return { clock: systemClock, location: 'test', resolvers: () => [], ...changes };
}

export function attempt<Check>(
  runner: Runner<Check>,
  check: Check,
  changes: Partial<RunContext> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunOutcome> {
  return runner(check, surroundings(changes), signal);
}

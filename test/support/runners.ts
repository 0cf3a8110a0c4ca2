/** Runs a runner in a test, with a patient clock and an empty context unless the test names more. */
import type { Evaluate, RunContext, Runner, RunOutcome } from '../../src/runners/core/runner.ts';
import { patientClock } from './clock.ts';

/** Evaluates in the process of the test, like the evaluator process. */
export const evaluateInProcess: Evaluate = async (evaluation, input) => copied(evaluation.run(copied(input)));

/** Copies a value like the channel of the evaluator process. */
const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

export function surroundings(changes: Partial<RunContext> = {}): RunContext {
  return {
    clock: patientClock,
    evaluate: evaluateInProcess,
    location: 'test',
    resolvers: () => [],
    ...changes,
  };
}

export function attempt<Check>(
  runner: Runner<Check>,
  check: Check,
  changes: Partial<RunContext> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<RunOutcome> {
  return runner(check, surroundings(changes), signal);
}

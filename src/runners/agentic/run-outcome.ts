/** Converts the result of a conversation to an outcome. Without a conclusion it is a monitor error. */
import { MONITOR_ERROR } from '../browser/run-outcome.ts';
import { conclude } from '../core/conclude.ts';
import type { RunOutcome } from '../core/runner.ts';
import type { Conclusion } from './conversation.ts';
import type { AgenticCheck } from './task.ts';
import type { Statement } from './transcript.ts';

export interface ModelFailure {
  readonly fault: string;
}

export interface UnusablePage {
  readonly unusable: string;
}

export interface ConversationResult {
  readonly conclusion: Conclusion | ModelFailure | UnusablePage;
  readonly statements: readonly Statement[];
  readonly denied: readonly { readonly host: string; readonly why: string }[];
  /** The cell limit that the browser exceeded; undefined if none. */
  readonly exceeded: string | undefined;
  readonly durationMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export function toRunOutcome(result: ConversationResult, check: AgenticCheck): RunOutcome {
  const { conclusion, statements, denied, exceeded, details } = result;
  const failed = statements
    .filter(({ holds }) => !holds)
    .map(({ statement }) => `does not hold: ${statement}`);
  const fault = 'fault' in conclusion ? conclusion.fault : undefined;
  const isFailing = 'verdict' in conclusion && conclusion.verdict === 'fail';
  const problems = [
    ...('unusable' in conclusion ? [conclusion.unusable] : []),
    ...failed,
    ...(isFailing ? [`the verdict of the model is fail: ${conclusion.summary}`] : []),
  ];
  const monitorError = (...errors: readonly string[]) => ({
    ...MONITOR_ERROR,
    errors: [...errors, ...problems],
    details,
  });
  if (exceeded !== undefined) return monitorError(`the browser used more ${exceeded} than allowed`);
  const [denial] = denied;
  if (denial && (problems.length > 0 || fault !== undefined))
    return monitorError(
      `the check is not allowed to contact ${denial.host}: ${denial.why}`,
      ...(fault ? [fault] : []),
    );
  // A false statement is a finding, whatever happened later.
  if (fault !== undefined && (problems.length === 0 || check.shouldFail)) return monitorError(fault);
  return conclude(
    {
      networkErrors: [],
      timedOut: false,
      assertions: [],
      unanswered: 0,
      responseTime: result.durationMs,
      details,
      faults: fault === undefined ? problems : [...problems, fault],
    },
    check,
  );
}

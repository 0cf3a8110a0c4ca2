/** From what a conversation came to, to the outcome of the run: what neither the model nor a page settled is an error of the monitor, never a pass. */
import { FAULT } from '../browser/acquire-cell.ts';
import type { RunOutcome } from '../types.ts';
import { conclude } from '../verdict.ts';
import type { Conclusion } from './conversation.ts';
import type { AgenticCheck } from './task.ts';
import type { Statement } from './transcript.ts';

/** Why the model came to no conclusion. */
export interface Fault {
  readonly fault: string;
}

/** Why a page of the target could not be used. */
export interface Unusable {
  readonly unusable: string;
}

export interface Found {
  readonly concluded: Conclusion | Fault | Unusable;
  readonly statements: readonly Statement[];
  /** What the service denies, on the hosts that the check may reach. */
  readonly denied: readonly { readonly host: string; readonly why: string }[];
  /** The limit of its cell that the browser went beyond; undefined: none. */
  readonly exceeded: string | undefined;
  readonly durationMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export function outcomeOf(found: Found, check: AgenticCheck): RunOutcome {
  const { concluded, statements, denied, exceeded, details } = found;
  const failed = statements
    .filter(({ holds }) => !holds)
    .map(({ statement }) => `does not hold: ${statement}`);
  const fault = 'fault' in concluded ? concluded.fault : undefined;
  const isFailing = 'verdict' in concluded && concluded.verdict === 'fail';
  const wrong = [
    ...('unusable' in concluded ? [concluded.unusable] : []),
    ...failed,
    ...(isFailing ? [`the verdict of the model is fail: ${concluded.summary}`] : []),
  ];
  const error = (...errors: readonly string[]) => ({ ...FAULT, errors: [...errors, ...wrong], details });
  if (exceeded !== undefined) return error(`the browser used more ${exceeded} than allowed`);
  const [denial] = denied;
  if (denial && (wrong.length > 0 || fault !== undefined))
    return error(
      `the check is not allowed to contact ${denial.host}: ${denial.why}`,
      ...(fault ? [fault] : []),
    );
  // A statement that does not hold was found, whatever came of the rest.
  if (fault !== undefined && (wrong.length === 0 || check.shouldFail)) return error(fault);
  return conclude(
    {
      ...{ networkErrors: [], timedOut: false, assertions: [], responseTime: found.durationMs, details },
      faults: fault === undefined ? wrong : [...wrong, fault],
    },
    check,
  );
}

/** Concludes the outcome of an attempt from its findings: time limits and `shouldFail`, for all check types. */
import { formatLongDuration } from '../../base/format-duration.ts';
import type { AssertionResult } from './assertion.ts';
import type { RunOutcome } from './runner.ts';

/** The settings of a check that affect its outcome. */
export interface Expectations {
  /** Response time in ms from which an answer is degraded; null or absent disables it. */
  readonly degradedResponseTime?: number | null;
  /** Response time in ms from which an answer is a failure; null or absent disables it. */
  readonly maxResponseTime?: number | null;
  readonly shouldFail?: boolean;
}

/** Returns only the expectations, so that the rest of a check is not copied to the evaluator process. */
export function toExpectations({
  degradedResponseTime = null,
  maxResponseTime = null,
  shouldFail = false,
}: Expectations): Expectations {
  return { degradedResponseTime, maxResponseTime, shouldFail };
}

/** The observations of one attempt, from which the outcome is computed. */
export interface Findings {
  /** Why there was no response, the most specific error first; empty if there was one. */
  readonly networkErrors: readonly string[];
  /** True if the request timed out, which exceeds every limit of the response time. */
  readonly timedOut: boolean;
  /** True if the failure may be a missing answer, although no network error says so. */
  readonly mayLackAnswer?: boolean;
  /** Why the check itself is invalid, so that the response was not examined. */
  readonly unusable?: readonly string[];
  /** Failures by the rules of the check type: an error status, an invalid certificate. `shouldFail` expects one. */
  readonly faults: readonly string[];
  /** Faults that assertions of the check decide instead (an asserted status): failures only to `shouldFail`. */
  readonly overruled?: readonly string[];
  /** Exceeded limits other than the response time. `shouldFail` does not expect them. */
  readonly exceeded?: readonly string[];
  readonly assertions: readonly AssertionResult[];
  /** Number of assertions that were not evaluated, because there was no answer. */
  readonly unanswered: number;
  /** Milliseconds; null without an answer. */
  readonly responseTime: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Concludes an attempt. Limits include their exact value. `shouldFail` inverts the rules of the check type: no answer
 * or a fault is expected. Assertions and limits apply as always; without an answer, assertions do not hold.
 */
export function conclude(findings: Findings, expectations: Expectations): RunOutcome {
  const { networkErrors, timedOut, assertions, responseTime, mayLackAnswer = false } = findings;
  const { degradedResponseTime = null, maxResponseTime = null, shouldFail = false } = expectations;
  const overMaxResponseTime =
    maxResponseTime !== null &&
    (responseTime !== null ? responseTime >= maxResponseTime : timedOut && !shouldFail);
  const { unusable = [], faults, overruled = [], exceeded = [] } = findings;
  const failures = [...networkErrors, ...faults];
  const expectedFailures = shouldFail ? [...failures, ...overruled] : [];
  const errors = [
    ...unusable,
    ...(shouldFail ? explainUnmetExpectation(expectedFailures, findings) : failures),
    ...assertions.filter(({ passed }) => !passed).map(({ message }) => message),
    ...exceeded,
    ...(overMaxResponseTime && responseTime !== null ? [explainLateness(responseTime, maxResponseTime)] : []),
  ];
  const isNetworkError = errors.length > 0 && networkErrors.length > 0;
  const isDegraded =
    errors.length === 0 &&
    degradedResponseTime !== null &&
    responseTime !== null &&
    responseTime >= degradedResponseTime;
  const details = expectedFailures.length > 0 ? { ...findings.details, expectedFailures } : findings.details;
  const [time, limit] = isDegraded ? formatBoth(responseTime, degradedResponseTime) : [];
  const isUnanswered = !isNetworkError && (networkErrors.length > 0 || timedOut || mayLackAnswer);
  return {
    hasFailures: errors.length > 0,
    hasErrors: false,
    isDegraded,
    overMaxResponseTime,
    isNetworkError,
    ...(isUnanswered ? { isUnanswered } : {}),
    responseTime,
    errors,
    details: isDegraded ? withNote(details, `took ${time} (degraded from ${limit})`) : details,
  };
}

/** Returns why a check that must fail did not fail as its settings say; empty if it did. */
function explainUnmetExpectation(
  expectedFailures: readonly string[],
  { responseTime, unanswered, unusable = [] }: Findings,
): string[] {
  if (unusable.length > 0) return [];
  const [failure] = expectedFailures;
  if (failure === undefined) {
    const time = responseTime === null ? '' : ` in ${formatLongDuration(responseTime)}`;
    return [`the check expects a failure, but the target succeeded${time}`];
  }
  const assertionsFail =
    unanswered === 1 ? 'the assertion of the check fails' : `the ${unanswered} assertions of the check fail`;
  return unanswered === 0 ? [] : [`no answer, so ${assertionsFail}: ${failure}`];
}

function explainLateness(responseTime: number, maxResponseTime: number): string {
  const [time, limit] = formatBoth(responseTime, maxResponseTime);
  return `took ${time}, the limit is ${limit}`;
}

/** Formats a response time and its limit in ms. Rounding must not make them equal. */
function formatBoth(time: number, limit: number): readonly [string, string] {
  const texts = [formatLongDuration(time), formatLongDuration(limit)] as const;
  return texts[0] === texts[1] ? [`${time} ms`, `${limit} ms`] : texts;
}

/** Adds a note to the details of a result: a sentence without a full stop. */
export const withNote = (details: RunOutcome['details'], note: string): RunOutcome['details'] => ({
  ...details,
  notes: [...(Array.isArray(details.notes) ? details.notes : []), note],
});

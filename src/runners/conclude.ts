/** Concludes the outcome of an attempt from its findings: time limits and `shouldFail`, for all check types. */
import { formatLongDuration } from '../base/format-duration.ts';
import type { AssertionResult } from './assertions/types.ts';
import type { RunOutcome } from './types.ts';

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
  /** Faults of the response, apart from assertions and response time. */
  readonly faults: readonly string[];
  readonly assertions: readonly AssertionResult[];
  /** Milliseconds; null without an answer. */
  readonly responseTime: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Concludes an attempt. Limits include their exact value. `shouldFail` inverts pass and fail, but an invalid check (a
 * malformed JSONPath, an unreadable script) fails either way.
 */
export function conclude(findings: Findings, expectations: Expectations): RunOutcome {
  const { networkErrors, timedOut, faults, assertions, responseTime, mayLackAnswer = false } = findings;
  const { degradedResponseTime = null, maxResponseTime = null, shouldFail = false } = expectations;
  const overMaxResponseTime =
    maxResponseTime !== null && (timedOut || (responseTime !== null && responseTime >= maxResponseTime));
  const problems = [...networkErrors, ...faults, ...failureMessages(assertions, true)];
  if (overMaxResponseTime && responseTime !== null) {
    const [time, limit] = formatBoth(responseTime, maxResponseTime);
    problems.push(`took ${time}, the limit is ${limit}`);
  }
  const { unusable = [] } = findings;
  const failed = problems.length > 0 !== shouldFail && unusable.length === 0;
  const expected = shouldFail ? (failed ? [unexpectedSuccess(responseTime)] : []) : problems;
  const errors = [...unusable, ...failureMessages(assertions, false), ...expected];
  const isNetworkError = errors.length > 0 && networkErrors.length > 0;
  const isDegraded =
    errors.length === 0 &&
    degradedResponseTime !== null &&
    responseTime !== null &&
    responseTime >= degradedResponseTime;
  const details =
    shouldFail && problems.length > 0
      ? { ...findings.details, expectedFailures: problems }
      : findings.details;
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

function failureMessages(assertions: readonly AssertionResult[], isEvaluated: boolean): string[] {
  return assertions
    .filter((assertion) => !assertion.passed && assertion.judged === isEvaluated)
    .map((assertion) => assertion.message);
}

function unexpectedSuccess(responseTime: number | null): string {
  const time = responseTime === null ? '' : ` in ${formatLongDuration(responseTime)}`;
  return `the check expects a failure, but it succeeded${time}`;
}

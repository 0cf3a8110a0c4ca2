/** From what a runner found to a verdict: the two limits of time and `shouldFail`, alike for every check type. */
import type { AssertionResult } from './assertions/types.ts';
import type { RunOutcome } from './types.ts';

/** What a check says about its verdict. */
export interface Expectations {
  /** Milliseconds at which a good answer counts as degraded; null or absent: never. */
  readonly degradedResponseTime?: number | null;
  /** Milliseconds at which an answer counts as a failure; null or absent: never. */
  readonly maxResponseTime?: number | null;
  readonly shouldFail?: boolean;
}

/** The expectations alone: the rest of a check need not be copied to the judge process. */
export function toExpectations({
  degradedResponseTime = null,
  maxResponseTime = null,
  shouldFail = false,
}: Expectations): Expectations {
  return { degradedResponseTime, maxResponseTime, shouldFail };
}

/** The observations of one attempt; the verdict is computed from them. */
export interface Findings {
  /** Why there was no response, the most specific error first; empty if there was one. */
  readonly networkErrors: readonly string[];
  /** True if the request timed out, which exceeds every limit of the response time. */
  readonly timedOut: boolean;
  /** Why the response was not examined: reasons in the check itself, which fails for them. */
  readonly unusable?: readonly string[];
  /** Faults of the response itself, apart from assertions and response time. */
  readonly faults: readonly string[];
  readonly assertions: readonly AssertionResult[];
  /** Milliseconds; null where no answer came. */
  readonly responseTime: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Judges an attempt. The limits are reached **at** their milliseconds. `shouldFail` turns pass and fail around, but what
 * is unusable in itself (a broken JSONPath, a script that cannot be read) fails the check either way.
 */
export function conclude(findings: Findings, expectations: Expectations): RunOutcome {
  const { networkErrors, timedOut, faults, assertions, responseTime } = findings;
  const { degradedResponseTime = null, maxResponseTime = null, shouldFail = false } = expectations;
  const overMaxResponseTime =
    maxResponseTime !== null && (timedOut || (responseTime !== null && responseTime >= maxResponseTime));
  const problems = [...networkErrors, ...faults, ...failureMessages(assertions, true)];
  if (overMaxResponseTime && responseTime !== null) {
    problems.push(`took ${responseTime} ms, the limit is ${maxResponseTime} ms`);
  }
  const { unusable = [] } = findings;
  const failed = problems.length > 0 !== shouldFail && unusable.length === 0;
  const expected = shouldFail ? (failed ? [unexpectedSuccess(responseTime)] : []) : problems;
  const errors = [...unusable, ...failureMessages(assertions, false), ...expected];
  return {
    hasFailures: errors.length > 0,
    hasErrors: false,
    isDegraded:
      errors.length === 0 &&
      degradedResponseTime !== null &&
      responseTime !== null &&
      responseTime >= degradedResponseTime,
    overMaxResponseTime,
    isNetworkError: errors.length > 0 && networkErrors.length > 0,
    responseTime,
    errors,
    details:
      shouldFail && problems.length > 0
        ? { ...findings.details, expectedFailures: problems }
        : findings.details,
  };
}

function failureMessages(assertions: readonly AssertionResult[], judged: boolean): string[] {
  return assertions
    .filter((assertion) => !assertion.passed && assertion.judged === judged)
    .map((assertion) => assertion.message);
}

function unexpectedSuccess(responseTime: number | null): string {
  const time = responseTime === null ? '' : ` in ${responseTime} ms`;
  return `the check expects a failure, but it succeeded${time}`;
}

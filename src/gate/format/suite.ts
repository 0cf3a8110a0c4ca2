/** Reads the tests in the result of a Playwright suite. */

import { isObject } from '../../base/object.ts';
import type { SessionResult } from '../wait/verdict.ts';
import { textOf } from '../words/text.ts';
import { durationOf } from './session.ts';

/** One test of a suite. */
export interface TestSummary {
  /** With its file and its groups. */
  readonly title: string;
  /** `passed`, `failed`, `timed-out`, `skipped`, or another status of the service. */
  readonly status: string;
  /** Milliseconds. */
  readonly took: number | undefined;
  readonly error: string | undefined;
}

/** Whether the test failed. */
export const isFailed = ({ status }: { readonly status: string }): boolean =>
  status === 'failed' || status === 'timed-out';

/** Number of tests by status. */
export type Counts = Readonly<Record<(typeof STATUSES)[number], number>>;

export interface SuiteSummary {
  readonly counts: Counts;
  readonly tests: readonly TestSummary[];
}

const STATUSES = ['failed', 'flaky', 'passed', 'skipped'] as const;

/** Returns the tests of a result; undefined if it is not of a suite, or its tests are unknown. */
export function suiteOf({ playwrightCheckResult: result }: SessionResult): SuiteSummary | undefined {
  if (!isObject(result) || !isObject(result.counts)) return undefined;
  const { counts } = result;
  const count = (word: (typeof STATUSES)[number]) => {
    const value = counts[word];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  return {
    counts: {
      failed: count('failed'),
      flaky: count('flaky'),
      passed: count('passed'),
      skipped: count('skipped'),
    },
    tests: (Array.isArray(result.tests) ? result.tests : []).filter(isObject).map((test) => ({
      title: textOf(test.title) ?? 'unnamed test',
      status: textOf(test.status) ?? 'unknown',
      took: durationOf(test.durationMs),
      error: (Array.isArray(test.errors) ? test.errors : []).flatMap((error) => textOf(error) ?? [])[0],
    })),
  };
}

/** Returns `1 failed, 12 passed, 2 skipped`, or `no tests`. */
export function countsText(counts: Counts): string {
  const parts = STATUSES.filter((word) => counts[word] > 0).map((word) => `${counts[word]} ${word}`);
  return parts.length === 0 ? 'no tests' : parts.join(', ');
}

/** Adds the counts of several suites; undefined if none has any. */
export function sumCounts(suites: readonly (SuiteSummary | undefined)[]): Counts | undefined {
  const known = suites.filter((suite) => suite !== undefined);
  if (known.length === 0) return undefined;
  const sum = (word: keyof Counts) => known.reduce((all, { counts }) => all + counts[word], 0);
  return { failed: sum('failed'), flaky: sum('flaky'), passed: sum('passed'), skipped: sum('skipped') };
}

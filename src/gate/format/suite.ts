/** What the result of a Playwright suite tells of its tests, whatever else it may hold. */
import { isObject } from '../../base/object.ts';
import type { SessionResult } from '../wait/verdict.ts';
import { durationOf, textOf } from './session.ts';

/** One test of a suite. */
export interface ToldTest {
  /** With its file and the groups that it stands in. */
  readonly title: string;
  /** `passed`, `failed`, `timed-out`, `skipped`, or another word of the service. */
  readonly status: string;
  /** Milliseconds. */
  readonly took: number | undefined;
  readonly error: string | undefined;
}

/** Whether a test's word says that it failed. */
export const isFailed = ({ status }: { readonly status: string }): boolean =>
  status === 'failed' || status === 'timed-out';

/** How many tests came to what. */
export type Counts = Readonly<Record<(typeof WORDS)[number], number>>;

export interface ToldSuite {
  readonly counts: Counts;
  readonly tests: readonly ToldTest[];
}

const WORDS = ['failed', 'flaky', 'passed', 'skipped'] as const;

/** Undefined where the result is of no suite, or nothing is known of its tests. */
export function suiteOf({ playwrightCheckResult: told }: SessionResult): ToldSuite | undefined {
  if (!isObject(told) || !isObject(told.counts)) return undefined;
  const { counts } = told;
  const count = (word: (typeof WORDS)[number]) => {
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
    tests: (Array.isArray(told.tests) ? told.tests : []).filter(isObject).map((test) => ({
      title: textOf(test.title) ?? 'unnamed test',
      status: textOf(test.status) ?? 'unknown',
      took: durationOf(test.durationMs),
      error: (Array.isArray(test.errors) ? test.errors : []).flatMap((error) => textOf(error) ?? [])[0],
    })),
  };
}

/** `1 failed, 12 passed, 2 skipped`; `no tests`. */
export function countsText(counts: Counts): string {
  const told = WORDS.filter((word) => counts[word] > 0).map((word) => `${counts[word]} ${word}`);
  return told.length === 0 ? 'no tests' : told.join(', ');
}

/** The counts of several suites together; undefined where none tells any. */
export function together(suites: readonly (ToldSuite | undefined)[]): Counts | undefined {
  const known = suites.filter((suite) => suite !== undefined);
  if (known.length === 0) return undefined;
  const sum = (word: keyof Counts) => known.reduce((all, { counts }) => all + counts[word], 0);
  return { failed: sum('failed'), flaky: sum('flaky'), passed: sum('passed'), skipped: sum('skipped') };
}

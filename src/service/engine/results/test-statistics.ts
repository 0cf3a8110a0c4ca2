/** Computes how the tests of a Playwright suite did over its latest results: which are flaky, and which are slow. Pure. */
import { groupBy } from '../../../base/object.ts';
import type { TestOrder, TestOutcome } from '../../../contract/analytics-metrics.ts';
import type { SuiteRun } from '../../store/engine/suite-runs.ts';

/** A test in one result. */
export interface TestRun {
  readonly startedAt: number;
  readonly location: string;
  readonly outcome: TestOutcome;
  readonly durationMs: number;
}

export interface TestStatistics {
  readonly title: string;
  readonly counts: Readonly<Record<TestOutcome, number>>;
  /**
   * Share, 0 to 1, of the results in which it was flaky or had another verdict than before in the same location; null if
   * it was always skipped.
   */
  readonly flakiness: number | null;
  /** Ms, without skipped tests; null if it was always skipped. */
  readonly duration: {
    readonly avg: number;
    readonly p50: number;
    readonly p95: number;
    readonly max: number;
  } | null;
  /** Oldest first. */
  readonly runs: readonly TestRun[];
}

const rank = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

/** Counts the results in which a test was flaky, or had another verdict than before in the same location. */
function countUnstable(executed: readonly TestRun[]): number {
  let unstable = 0;
  for (const runs of groupBy(executed, ({ location }) => location).values())
    runs.forEach(({ outcome }, index) => {
      const before = runs[index - 1];
      const isChanged = before !== undefined && (before.outcome === 'failed') !== (outcome === 'failed');
      if (outcome === 'flaky' || isChanged) unstable += 1;
    });
  return unstable;
}

function summarizeTest(title: string, runs: readonly TestRun[]): TestStatistics {
  const counts = { passed: 0, flaky: 0, failed: 0, skipped: 0 };
  for (const { outcome } of runs) counts[outcome] += 1;
  const executed = runs.filter(({ outcome }) => outcome !== 'skipped');
  const durations = executed.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const sum = durations.reduce((total, duration) => total + duration, 0);
  const hasRun = executed.length > 0;
  return {
    title,
    counts,
    flakiness: hasRun ? countUnstable(executed) / executed.length : null,
    duration: hasRun
      ? {
          avg: Math.round(sum / durations.length),
          p50: rank(durations, 0.5),
          p95: rank(durations, 0.95),
          max: durations.at(-1) ?? 0,
        }
      : null,
    runs,
  };
}

const MEASURES: Readonly<Record<Exclude<TestOrder, 'title'>, (test: TestStatistics) => number>> = {
  flakiness: ({ flakiness }) => flakiness ?? -1,
  failures: ({ counts }) => counts.failed,
  duration: ({ duration }) => duration?.p50 ?? -1,
};

/** The orders that decide between equal tests. */
const TIE_BREAKS = ['flakiness', 'failures', 'duration'] as const;

/** Sorts tests: the flakiest, most failing or slowest (by median) first, or by title. */
export function sortTests(tests: readonly TestStatistics[], order: TestOrder): TestStatistics[] {
  const byTitle = (one: TestStatistics, other: TestStatistics) => (one.title < other.title ? -1 : 1);
  if (order === 'title') return tests.toSorted(byTitle);
  const measures = [order, ...TIE_BREAKS].map((name) => MEASURES[name]);
  return tests.toSorted((one, other) => {
    for (const measure of measures) {
      const difference = measure(other) - measure(one);
      if (difference !== 0) return difference;
    }
    return byTitle(one, other);
  });
}

/** Returns the statistics of each test of results, which are sorted by time. */
export function computeTestStatistics(suiteRuns: readonly SuiteRun[]): TestStatistics[] {
  const runs = new Map<string, TestRun[]>();
  for (const { startedAt, location, tests } of suiteRuns)
    for (const [title, outcome, durationMs] of tests) {
      const known = runs.get(title) ?? [];
      known.push({ startedAt, location, outcome, durationMs });
      runs.set(title, known);
    }
  return [...runs].map(([title, ofTest]) => summarizeTest(title, ofTest));
}

/** Reads what is stored of the tests of a Playwright suite from the details of its result, which may come from an agent. Pure. */
import { isObject } from '../../../base/object.ts';
import type { TestOutcome } from '../../../contract/analytics-metrics.ts';
import type { NewResult } from '../../store/engine/results.ts';
import type { NewSuiteRun, StoredTest } from '../../store/engine/suite-runs.ts';

/** Limits of a row: tests of a result, and characters of a title. */
const MAX_TESTS = 200;
const MAX_TITLE = 200;
/** Characters of a long title before its gap. Its end names the test itself. */
const TITLE_START = 80;

const OUTCOMES = new Map<unknown, TestOutcome>([
  ['passed', 'passed'],
  ['skipped', 'skipped'],
]);
/** The worst outcome counts if several tests have the same title. */
const SEVERITY: readonly TestOutcome[] = ['skipped', 'passed', 'flaky', 'failed'];

const shorten = (title: string): string =>
  title.length <= MAX_TITLE
    ? title
    : `${title.slice(0, TITLE_START)}…${title.slice(TITLE_START + 1 - MAX_TITLE)}`;

function toStoredTest({ title, status, isFlaky, durationMs }: Readonly<Record<string, unknown>>): StoredTest {
  const outcome = isFlaky === true ? 'flaky' : (OUTCOMES.get(status) ?? 'failed');
  const isDuration = typeof durationMs === 'number' && durationMs >= 0 && Number.isFinite(durationMs);
  return [
    typeof title === 'string' && title !== '' ? shorten(title) : 'Test without a title',
    outcome,
    isDuration ? Math.round(durationMs) : 0,
  ];
}

function mergeTests(one: StoredTest, [title, outcome, durationMs]: StoredTest): StoredTest {
  const worst = SEVERITY.indexOf(outcome) > SEVERITY.indexOf(one[1]) ? outcome : one[1];
  return [title, worst, one[2] + durationMs];
}

/** Returns the tests of a result; undefined if the result counts nowhere, or has none. */
export function toSuiteRun(result: NewResult, details: unknown): NewSuiteRun | undefined {
  const { check_id: checkId, has_errors: hasErrors, is_cancelled: isCancelled } = result;
  const isCounted = result.result_type === 'FINAL' && result.test_session_id === null;
  if (result.check_type !== 'PLAYWRIGHT' || !checkId || !isCounted || hasErrors === 1 || isCancelled === 1)
    return undefined;
  const reported = isObject(details) && Array.isArray(details.tests) ? details.tests : [];
  const tests = new Map<string, StoredTest>();
  for (const test of reported.slice(0, MAX_TESTS).filter(isObject)) {
    const stored = toStoredTest(test);
    const known = tests.get(stored[0]);
    tests.set(stored[0], known === undefined ? stored : mergeTests(known, stored));
  }
  if (tests.size === 0) return undefined;
  return {
    result_id: result.id,
    account_id: result.account_id,
    check_id: checkId,
    location: result.location,
    started_at: result.started_at,
    tests: JSON.stringify([...tests.values()]),
  };
}

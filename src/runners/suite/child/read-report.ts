/** Reads Playwright's report of a suite: its tests, their counts, and whether the suite passed. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Counts, ScriptReport, TestReport } from '../../browser/protocol.ts';
import type { SuiteJob } from '../protocol.ts';
import type { CommandEnd } from './command-runner.ts';

export type SuiteResult = Omit<ScriptReport, 'durationMs' | 'dropped'>;

interface PlaywrightReport {
  readonly suites?: readonly Suite[];
  readonly errors?: readonly { readonly message?: string }[];
}
interface Suite {
  readonly title: string;
  readonly suites?: readonly Suite[];
  readonly specs?: readonly Spec[];
}
interface Spec {
  readonly title: string;
  readonly tests: readonly SpecTest[];
}
interface SpecTest {
  readonly projectName?: string;
  readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
  readonly results: readonly Result[];
}
interface Result {
  readonly status?: string;
  readonly duration: number;
  readonly errors?: readonly { readonly message?: string }[];
}

/** The browser of a project is not installed, which says nothing about the target. */
const MISSING_BROWSER =
  /Executable doesn't exist at|browserType\.launch: (?:Failed to launch|.*is not installed)/;

/** Returns the result of the suite. Without a report nothing is known, whatever the exit code. */
export function readReport(
  file: string,
  { code, isLate, lastOutput }: CommandEnd,
  job: SuiteJob,
): SuiteResult {
  const report = parseReportFile(file);
  const timeoutError = `the suite did not end within ${job.timeoutMs / 1000} s`;
  if (report === undefined) {
    if (isLate) return { outcome: 'timed-out', errors: [timeoutError], tests: [] };
    const why = stripVTControlCharacters(lastOutput) || `exit code ${code}`;
    return { outcome: 'unusable', errors: [`the tests ended without a report: ${why}`], tests: [] };
  }
  const tests = (report.suites ?? []).flatMap((suite) => collectTests(suite, []));
  const counts = countTests(tests);
  const general = (report.errors ?? []).map(({ message = 'an error without a message' }) =>
    stripVTControlCharacters(message),
  );
  const failed = tests.filter(({ status }) => status === 'failed' || status === 'timed-out');
  const errors = [...general, ...failed.map(({ title, errors: [first = 'failed'] }) => `${title}: ${first}`)];
  const reports = tests.map(({ isFlaky: _, ...test }) => test);
  const result = (outcome: SuiteResult['outcome'], first?: string): SuiteResult => ({
    outcome,
    tests: reports,
    counts,
    errors: first === undefined ? errors : [first, ...errors],
  });
  const ranOut = general.find((message) => /^Timed out waiting .* for the test suite to run/.test(message));
  if (isLate || ranOut !== undefined) return result('timed-out', isLate ? timeoutError : undefined);
  if (errors.some((error) => MISSING_BROWSER.test(error)))
    return result('fault', 'a browser that the suite needs is not installed: only Chromium is available');
  if (counts.passed + counts.flaky + counts.failed === 0) return result('unusable', 'no test ran');
  if (counts.failed > 0) return result('failed');
  if (code !== 0 || general.length > 0)
    return result('failed', errors.length > 0 ? undefined : `Playwright ended with exit code ${code}`);
  return result('passed');
}

function parseReportFile(file: string): PlaywrightReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PlaywrightReport;
  } catch {
    return undefined;
  }
}

type Test = TestReport & { readonly isFlaky: boolean };

function collectTests({ title, suites = [], specs = [] }: Suite, above: readonly string[]): Test[] {
  const path = [...above, title].filter((part) => part !== '');
  const ownTests = specs.flatMap((spec) =>
    spec.tests.map((test) =>
      toTest(test, [...(test.projectName ? [`[${test.projectName}]`] : []), ...path, spec.title]),
    ),
  );
  return [...ownTests, ...suites.flatMap((suite) => collectTests(suite, path))];
}

function toTest({ status, results }: SpecTest, path: readonly string[]): Test {
  const last = results.at(-1);
  const errors = (last?.errors ?? []).map(({ message = 'an error without a message' }) =>
    stripVTControlCharacters(message),
  );
  const failed = last?.status === 'timedOut' ? 'timed-out' : 'failed';
  return {
    title: path.join(' › '),
    status: status === 'unexpected' ? failed : status === 'skipped' ? 'skipped' : 'passed',
    durationMs: Math.round(results.reduce((sum, { duration }) => sum + duration, 0)),
    errors: status === 'unexpected' ? errors : [],
    isFlaky: status === 'flaky',
  };
}

function countTests(tests: readonly Test[]): Counts {
  const count = (matches: (test: Test) => boolean) => tests.filter(matches).length;
  return {
    passed: count(({ status, isFlaky }) => status === 'passed' && !isFlaky),
    failed: count(({ status }) => status === 'failed' || status === 'timed-out'),
    flaky: count(({ isFlaky }) => isFlaky),
    skipped: count(({ status }) => status === 'skipped'),
  };
}

/** Reads the tests in a JSON report of Playwright Test. */
import { stripVTControlCharacters } from 'node:util';
import type { TestReport } from '../protocol.ts';

export interface PlaywrightReport {
  readonly suites?: readonly ReportedSuite[];
  readonly errors?: readonly ReportedError[];
}
interface ReportedSuite {
  readonly title: string;
  readonly suites?: readonly ReportedSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly projectName?: string;
      readonly status: 'skipped' | 'expected' | 'unexpected' | 'flaky';
      readonly results: readonly {
        readonly status?: string;
        readonly duration: number;
        readonly errors?: readonly ReportedError[];
      }[];
    }[];
  }[];
}
interface ReportedError {
  readonly message?: string;
  readonly stack?: string;
  readonly value?: string;
}

export function listReportedTests({ suites = [] }: PlaywrightReport) {
  const list = ({ title: suiteTitle, suites = [], specs = [] }: ReportedSuite, above: readonly string[]) => {
    const path = [...above, suiteTitle];
    const tests: ReturnType<typeof toTest>[] = specs.flatMap(({ title, tests }) =>
      tests.map((test) => toTest([...path, title], test)),
    );
    for (const inner of suites) tests.push(...list(inner, path));
    return tests;
  };
  return suites.flatMap((file) => list(file, []));
}

type Spec = NonNullable<ReportedSuite['specs']>[number];

function toTest(titles: readonly string[], { projectName, status, results }: Spec['tests'][number]) {
  const failed = results.at(-1)?.status === 'timedOut' ? 'timed-out' : 'failed';
  const shown: TestReport['status'] =
    status === 'unexpected' ? failed : status === 'skipped' ? 'skipped' : 'passed';
  return {
    titles,
    projectName,
    status: shown,
    isUnexpected: status === 'unexpected',
    isFlaky: status === 'flaky',
    durationMs: results.reduce((sum, { duration }) => sum + duration, 0),
    results: results.map(({ errors = [] }) => errors),
  };
}

export function formatReportedError({ message, stack, value }: ReportedError): string {
  return stripVTControlCharacters(message ?? value ?? stack ?? 'an error without a message');
}

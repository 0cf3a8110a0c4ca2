/** Runs a Playwright Test file: its runner in this process, its worker in a prepared executor. */
import childProcess, { type ChildProcess, type ForkOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestReport } from '../protocol.ts';
import type { Runtime } from './locate-playwright.ts';

/** Internals of Playwright Test that its command line uses to run tests. */
interface Runner {
  readonly testRunner: {
    runAllTestsWithConfig(config: unknown, options: object): Promise<string>;
  };
}
interface Common {
  readonly configLoader: { loadConfigFromFile(file: string, overrides: object): Promise<unknown> };
}

export interface TestRun {
  readonly runtime: Runtime;
  /** The script, and the folder of its files. */
  readonly file: string;
  readonly folder: string;
  /** Folder for screenshots, traces and the report. */
  readonly artifactFolder: string;
  /** Folder of the configuration, which the script does not see. */
  readonly configFolder: string;
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
  /** Returns an executor that becomes a worker. */
  readonly worker: () => ChildProcess;
}

export interface TestsResult {
  readonly passed: boolean;
  readonly timedOut: boolean;
  readonly errors: readonly string[];
  readonly tests: readonly TestReport[];
}

/** Runs the tests. Rejects if Playwright Test itself fails. */
export async function runTests(run: TestRun): Promise<TestsResult> {
  const restoreFork = redirectFork(run);
  try {
    const status = await start(run, {});
    const { tests, errors } = readReport(readFileSync(reportPath(run), 'utf8'));
    return { passed: status === 'passed', timedOut: status === 'timedout', errors, tests };
  } finally {
    restoreFork();
  }
}

/** Lists the tests of a file without running them. */
export async function listTests(run: Omit<TestRun, 'worker'>): Promise<void> {
  await start(run, { listMode: true });
}

/** Runs Playwright Test. Resolves with `passed`, `failed`, `timedout` or `interrupted`. */
async function start(run: Omit<TestRun, 'worker'>, options: object): Promise<string> {
  const { runtime, configFolder } = run;
  const config = join(configFolder, 'playwright.config.cjs');
  writeFileSync(config, `module.exports = ${JSON.stringify(createConfiguration(run))};\n`);
  const { testRunner } = runtime.loadRunner() as Runner;
  const { configLoader } = runtime.loadCommon() as Common;
  return testRunner.runAllTestsWithConfig(await configLoader.loadConfigFromFile(config, {}), options);
}

const reportPath = ({ configFolder }: Pick<TestRun, 'configFolder'>) => join(configFolder, 'report.json');

function createConfiguration(run: Omit<TestRun, 'worker'>): object {
  const { folder, file, artifactFolder, baseUrl, timeoutMs } = run;
  return {
    testDir: folder,
    testMatch: [file.replace(/[\\*?[\]{}()!+@]/g, '\\$&')],
    outputDir: artifactFolder,
    snapshotDir: join(folder, 'snapshots'),
    globalTimeout: timeoutMs,
    workers: 1,
    retries: 0,
    // A forgotten `only` would hide all other tests.
    forbidOnly: true,
    reporter: [['json', { outputFile: reportPath(run) }]],
    reportSlowTests: null,
    use: {
      trace: 'retain-on-failure',
      screenshot: 'only-on-failure',
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
    },
  };
}

/** Makes Playwright Test use the executor as its worker. Returns a function that restores `fork`. */
function redirectFork({ runtime, worker }: TestRun): () => void {
  const fork = childProcess.fork;
  const redirected = (file: string | URL, ...rest: [] | [readonly string[] | ForkOptions, ForkOptions?]) =>
    String(file) === runtime.workerEntry
      ? worker()
      : (fork as (...args: unknown[]) => ChildProcess)(file, ...rest);
  childProcess.fork = redirected as typeof fork;
  return () => {
    childProcess.fork = fork;
  };
}

interface ReportedSuite {
  readonly title: string;
  readonly suites?: readonly ReportedSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: 'skipped' | 'expected' | 'unexpected' | 'flaky';
      readonly results: readonly {
        readonly status: string;
        readonly duration: number;
        readonly errors: readonly ReportedError[];
      }[];
    }[];
  }[];
}
interface ReportedError {
  readonly message?: string;
  readonly stack?: string;
  readonly value?: string;
}

/** Reads the tests and errors of Playwright Test's JSON report. Errors of the whole file come first. */
function readReport(text: string): { tests: TestReport[]; errors: string[] } {
  const report = JSON.parse(text) as {
    readonly suites: readonly ReportedSuite[];
    readonly errors: readonly ReportedError[];
  };
  // The outermost suite is the file.
  const tests = report.suites.flatMap((file) => collectTests(file, []));
  const failed = tests.flatMap(({ title, errors }) => errors.map((error) => `${title}: ${error}`));
  return { tests, errors: [...report.errors.map(formatReportedError), ...failed] };
}

function collectTests(suite: ReportedSuite, titles: readonly string[]): TestReport[] {
  const own = (suite.specs ?? []).flatMap(({ title, tests }) =>
    tests.map(({ status, results }): TestReport => {
      const last = results.at(-1);
      const failed = last?.status === 'timedOut' ? 'timed-out' : 'failed';
      const errors = results.flatMap((result) => result.errors.map(formatReportedError));
      const isUnexpected = status === 'unexpected';
      return {
        title: [...titles, title].join(' › '),
        status: isUnexpected ? failed : status === 'skipped' ? 'skipped' : 'passed',
        durationMs: results.reduce((sum, { duration }) => sum + duration, 0),
        errors:
          isUnexpected && errors.length === 0 ? ['the test passed although it was expected to fail'] : errors,
      };
    }),
  );
  const nested = (suite.suites ?? []).flatMap((inner) => collectTests(inner, [...titles, inner.title]));
  return [...own, ...nested];
}

function formatReportedError({ message, stack, value }: ReportedError): string {
  return stripVTControlCharacters(message ?? value ?? stack ?? 'an error without a message');
}

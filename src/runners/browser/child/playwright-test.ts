/** Runs a Playwright Test file: its runner in this process, its worker in a prepared executor. */
import childProcess, { type ChildProcess, type ForkOptions } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlaywrightConfig } from '../protocol.ts';
import type { Env } from './executor.ts';
import type { Runtime } from './locate-playwright.ts';
import { toTestSettings } from './playwright-config.ts';
import { formatReportedError, listReportedTests, type PlaywrightReport } from './playwright-report.ts';
import { formatError, SAMPLE } from './run-plain-script.ts';
import {
  type Executor,
  type ScriptPaths,
  type ScriptResult,
  type ScriptRun,
  sendToExecutor,
} from './run-script.ts';

interface Runner {
  readonly testRunner: {
    runAllTestsWithConfig(config: unknown, options: object): Promise<string>;
  };
}
interface Common {
  readonly configLoader: { loadConfigFromFile(file: string, overrides: object): Promise<unknown> };
}

/** Runs a Playwright Test file. Rejects if Playwright Test itself fails. */
export async function runTestFile(
  {
    job: { timeoutMs, artifactsMs, baseUrl, playwrightConfig = null },
    runtime,
    executors,
    first,
    host,
  }: ScriptRun,
  paths: ScriptPaths,
  env: Env,
): Promise<ScriptResult> {
  for (const name of Object.keys(host.env)) delete host.env[name];
  Object.assign(host.env, env);
  host.chdir(paths.folder);
  const endsAt = performance.now() + timeoutMs + artifactsMs / 4;
  let spare: Executor | undefined = first;
  const makeWorker = () => {
    const executor = spare && !hasEnded(spare.process) ? spare : executors.make(false);
    spare = undefined;
    limitStopTime(executor.process, endsAt);
    void executor.ready.then(() =>
      sendToExecutor(executor.process, {
        sonde: 'worker',
        // Playwright Test has prepared variables for its workers.
        env: { ...env, ...(host.env as Env) },
        folder: paths.folder,
      }),
    );
    return executor.process;
  };
  const uncaught = catchUncaughtErrors(host);
  const restoreFork = redirectFork(runtime, makeWorker);
  const run = startRunner(runtime, { ...paths, baseUrl, playwrightConfig, timeoutMs }, {})
    .then((status) => ({ status, ...readReport(reportPath(paths.runFolder)) }))
    .finally(restoreFork);
  const uncaughtResult = uncaught.first.then((error) => ({ status: 'failed', errors: [error], tests: [] }));
  const { status, errors, tests } = await Promise.race([run, uncaughtResult]).finally(uncaught.stop);
  if (status === 'timedout') {
    const timeoutError = `the script did not end within ${timeoutMs / 1000} s`;
    const otherErrors = errors.filter((error) => !/^Timed out waiting/.test(error));
    return { outcome: 'timed-out', errors: [timeoutError, ...otherErrors], tests };
  }
  const hasPassed = status === 'passed';
  const hasNoTests = tests.every((test) => test.status === 'skipped');
  if (hasPassed && !hasNoTests) return { outcome: 'passed', errors: [], tests };
  const why = hasPassed
    ? 'no test ran, because all tests are skipped'
    : 'Playwright Test ended without an error message';
  const named = errors.map((error) => (NO_TESTS.test(error) ? NO_TESTS_FOUND : error));
  return {
    outcome: hasNoTests ? 'unusable' : 'failed',
    errors: named.length > 0 ? named : [why],
    tests,
  };
}

/** Playwright's message continues with advice about its command line. */
const NO_TESTS = /^Error: No tests found/;
const NO_TESTS_FOUND =
  'No tests found: the script or one of its files imports "test" of "@playwright/test", but declares no test. Declare a test, or import from "playwright" if it is a plain script';

export async function warmUpTestRunner(runtime: Runtime, cellFolder: string): Promise<void> {
  const folder = join(cellFolder, 'rehearsal');
  const file = join(folder, 'sample.spec.ts');
  const artifactFolder = join(folder, 'evidence');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, SAMPLE);
  const run = {
    ...{ file, folder, artifactFolder, runFolder: folder },
    ...{ baseUrl: null, playwrightConfig: null, timeoutMs: 10_000 },
  };
  await startRunner(runtime, run, { listMode: true });
  rmSync(folder, { recursive: true, force: true });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

interface TestRun extends ScriptPaths {
  readonly baseUrl: string | null;
  readonly playwrightConfig: PlaywrightConfig | null;
  readonly timeoutMs: number;
}

async function startRunner(runtime: Runtime, run: TestRun, options: object): Promise<string> {
  const config = join(run.runFolder, 'playwright.config.cjs');
  writeFileSync(config, `module.exports = ${JSON.stringify(createConfiguration(run))};\n`);
  const { testRunner } = runtime.loadRunner() as Runner;
  const { configLoader } = runtime.loadCommon() as Common;
  return testRunner.runAllTestsWithConfig(await configLoader.loadConfigFromFile(config, {}), options);
}

const reportPath = (runFolder: string) => join(runFolder, 'report.json');

const createConfiguration = ({
  folder,
  file,
  artifactFolder,
  runFolder,
  baseUrl,
  playwrightConfig,
  timeoutMs,
}: TestRun) => ({
  testDir: folder,
  testMatch: [file.replace(/[\\*?[\]{}()!+@]/g, '\\$&')],
  outputDir: artifactFolder,
  snapshotDir: join(folder, 'snapshots'),
  globalTimeout: timeoutMs,
  workers: 1,
  retries: 0,
  // A forgotten `only` would hide all other tests.
  forbidOnly: true,
  reporter: [['json', { outputFile: reportPath(runFolder) }]],
  reportSlowTests: null,
  ...toTestSettings(playwrightConfig, {
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    ...(baseUrl === null ? {} : { baseURL: baseUrl }),
  }),
});

/** Makes Playwright Test use the executor as its worker. Returns a function that restores `fork`. */
function redirectFork(runtime: Runtime, makeWorker: () => ChildProcess): () => void {
  const fork = childProcess.fork;
  const redirected = (file: string | URL, ...rest: [] | [readonly string[] | ForkOptions, ForkOptions?]) =>
    String(file) === runtime.workerEntry
      ? makeWorker()
      : (fork as (...args: unknown[]) => ChildProcess)(file, ...rest);
  childProcess.fork = redirected as typeof fork;
  return () => {
    childProcess.fork = fork;
  };
}

function readReport(path: string) {
  const report = JSON.parse(readFileSync(path, 'utf8')) as PlaywrightReport;
  const tests = listReportedTests(report).map(({ titles, status, isUnexpected, durationMs, results }) => {
    const errors = results.flat().map(formatReportedError);
    const isUnexpectedPass = isUnexpected && errors.length === 0;
    return {
      // The first title is the file.
      title: titles.slice(1).join(' › '),
      status,
      durationMs,
      errors: isUnexpectedPass ? ['the test passed although it was expected to fail'] : errors,
    };
  });
  const failed = tests.flatMap(({ title, errors }) => errors.map((error) => `${title}: ${error}`));
  return { tests, errors: [...(report.errors ?? []).map(formatReportedError), ...failed] };
}

/** Time for a worker to stop after a request from Playwright Test, in ms. */
const STOP_MS = 45_000;

/** Limits the time that Playwright Test waits for a worker. `endsAt`: by `performance.now()`. */
function limitStopTime(child: ChildProcess, endsAt: number): void {
  const { send } = child;
  child.send = (...args: unknown[]) => {
    const [message] = args as [{ readonly method?: string }];
    if (message.method === '__stop__') {
      const remainingMs = Math.max(0, endsAt - performance.now());
      setTimeout(() => child.kill('SIGKILL'), Math.min(STOP_MS, remainingMs)).unref();
    }
    return Reflect.apply(send, child, args) as boolean;
  };
}

/** Prevents the script from ending this process while it is read. Its uncaught errors belong to the script. */
function catchUncaughtErrors(host: NodeJS.Process) {
  const { exit } = host;
  let onError: (error: unknown) => void = () => {};
  const first = new Promise<string>((resolve) => {
    onError = (error) => resolve(formatError(error));
  });
  host.on('uncaughtException', onError);
  host.on('unhandledRejection', onError);
  host.exit = (code) => {
    throw new Error(`the script ended its process with exit code ${code ?? host.exitCode ?? 0}`);
  };
  return {
    first,
    stop(): void {
      host.exit = exit;
      host.off('uncaughtException', onError);
      host.off('unhandledRejection', onError);
    },
  };
}

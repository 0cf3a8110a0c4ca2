/** Runs a plain script or a Playwright Test file to its end in an executor. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { countOomKills } from '../count-oom-kills.ts';
import type { BrowserJob, ScriptReport, ScriptState } from '../protocol.ts';
import type { Env, ToExecutor } from './executor.ts';
import { type Executor, type Executors, hasEnded, sendToExecutor } from './executors.ts';
import type { Runtime } from './locate-playwright.ts';
import { runTests } from './playwright-test.ts';
import { catchUncaughtErrors } from './uncaught-errors.ts';

/** The result of a script. */
export type ScriptResult = Omit<ScriptReport, 'durationMs' | 'dropped'>;

/** A run and its dependencies. */
export interface ScriptRun {
  readonly job: BrowserJob;
  readonly runtime: Runtime;
  readonly executors: Executors;
  readonly first: Executor;
  readonly host: NodeJS.Process;
}

export interface ScriptPaths {
  readonly file: string;
  readonly folder: string;
  readonly artifactFolder: string;
  readonly runFolder: string;
}
/** Callbacks for a plain script. */
export interface ScriptListener {
  readonly onDone: (errors: readonly string[], scriptState: ScriptState | undefined) => void;
  /** Called if only a process that the script started still runs. */
  readonly onWait: (what: string) => void;
}
/** Sets the listener of the executors' messages. */
export type SetListener = (listener?: ScriptListener) => void;

/** Runs a plain script in the executor, within its time limit. */
export async function runScript(
  { job, first, host }: ScriptRun,
  { file, folder, artifactFolder }: ScriptPaths,
  env: Env,
  setListener: SetListener,
): Promise<ScriptResult> {
  const { process: child } = first;
  const message: ToExecutor = {
    sonde: 'script',
    file,
    folder,
    artifactFolder,
    env,
    baseUrl: job.baseUrl,
    timeoutMs: job.timeoutMs,
    further: (job.furtherScripts ?? []).map((path) => join(folder, path)),
    globals: job.globals ?? null,
  };
  const timeoutError = `the script did not end within ${job.timeoutMs / 1000} s`;
  return new Promise((resolve) => {
    let awaitedProcess: string | undefined;
    const finish = (outcome: ScriptResult['outcome'], errors: readonly string[], handed?: ScriptState) => {
      clearTimeout(timer);
      resolve({ outcome, errors, tests: [], ...(handed ? { handed } : {}) });
    };
    const onTimeout = () =>
      finish('timed-out', [
        awaitedProcess === undefined
          ? timeoutError
          : `${timeoutError}: a process that it started is still running: ${awaitedProcess}`,
      ]);
    const timer = setTimeout(onTimeout, job.timeoutMs);
    setListener({
      onDone: (errors, handed) => finish(classifyErrors(errors), errors, handed),
      onWait: (what) => {
        awaitedProcess = what;
      },
    });
    // A script can write to the channel of its process. Invalid messages are not a report.
    host.once('uncaughtException', ({ message: why }) =>
      finish('unusable', [`the script disturbed its runner: ${why}`]),
    );
    const killsBefore = countOomKills();
    child.once('exit', (code, signal) => {
      const [outcome, errors] = classifyExit(code, signal);
      finish(outcome === 'fault' && countOomKills() === killsBefore ? 'unusable' : outcome, errors);
    });
    sendToExecutor(child, message);
  });
}

/**
 * First error of a script that cannot be parsed or refers to missing names, which says nothing about the target. An
 * answer that is not JSON does.
 */
const BROKEN_SCRIPT =
  /^(?:SyntaxError(?!.*\bJSON\b)|ReferenceError): |^Error: Cannot find (?:module|package) /m;

function classifyErrors([first]: readonly string[]): ScriptResult['outcome'] {
  if (first === undefined) return 'passed';
  return BROKEN_SCRIPT.test(first) ? 'unusable' : 'failed';
}

/** Returns the outcome for an executor that ended before the script. */
function classifyExit(
  code: number | null,
  signal: NodeJS.Signals | null,
): [ScriptResult['outcome'], string[]] {
  if (signal === 'SIGABRT' || code === 134) return ['unusable', ['the script ran out of memory']];
  if (signal !== null) return ['fault', [`the process of the script was killed by ${signal}`]];
  return ['failed', [`the script ended its process with exit code ${code}`]];
}

/** Runs a Playwright Test file. */
export async function runTestFile(
  { job, runtime, executors, first, host }: ScriptRun,
  { file, folder, artifactFolder, runFolder }: ScriptPaths,
  env: Env,
  setListener: SetListener,
): Promise<ScriptResult> {
  setListener();
  for (const name of Object.keys(host.env)) delete host.env[name];
  Object.assign(host.env, env);
  host.chdir(folder);
  const endsAt = performance.now() + job.timeoutMs + job.artifactsMs / 4;
  let spare: Executor | undefined = first;
  const worker = () => {
    const executor = spare && !hasEnded(spare) ? spare : executors.make(false);
    spare = undefined;
    limitStopTime(executor.process, endsAt);
    void executor.ready.then(() =>
      sendToExecutor(executor.process, {
        sonde: 'worker',
        env: { ...env, ...currentEnvironment(host) },
        folder,
      }),
    );
    return executor.process;
  };
  const { baseUrl, timeoutMs } = job;
  const uncaught = catchUncaughtErrors(host);
  const run = runTests({
    runtime,
    file,
    folder,
    artifactFolder,
    configFolder: runFolder,
    baseUrl,
    timeoutMs,
    worker,
  });
  const uncaughtResult = uncaught.first.then((error) => ({
    passed: false,
    timedOut: false,
    errors: [error],
    tests: [],
  }));
  const result = await Promise.race([run, uncaughtResult]).finally(uncaught.stop);
  const { passed, timedOut, errors, tests: reports } = result;
  if (timedOut) {
    const timeoutError = `the script did not end within ${timeoutMs / 1000} s`;
    return {
      outcome: 'timed-out',
      errors: [timeoutError, ...errors.filter((error) => !/^Timed out waiting/.test(error))],
      tests: reports,
    };
  }
  const hasNoTests = reports.every(({ status }) => status === 'skipped');
  if (passed && !hasNoTests) return { outcome: 'passed', errors: [], tests: reports };
  const why = passed
    ? 'no test ran, because all tests are skipped'
    : 'Playwright Test ended without an error message';
  const messages = errors.length > 0 ? errors : [why];
  return { outcome: hasNoTests ? 'unusable' : 'failed', errors: messages, tests: reports };
}

/** Time for a worker to stop after a request from Playwright Test, in ms. */
const STOP_MS = 45_000;

/**
 * Limits the time that Playwright Test waits for a worker. `endsAt`: the end of all workers, by `performance.now()`.
 */
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

/** Returns the environment that Playwright Test has prepared for its workers. */
function currentEnvironment(host: NodeJS.Process): Env {
  return Object.fromEntries(
    Object.entries(host.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

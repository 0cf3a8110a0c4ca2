/** Runs a script to its end in an executor: one of its own, or a file of Playwright Test. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { outOfMemoryKills } from '../count-oom-kills.ts';
import type { BrowserJob, Handed, ScriptReport } from '../protocol.ts';
import type { Env, ToExecutor } from './executor.ts';
import { type Executor, type Executors, hasEnded, send } from './executors.ts';
import type { Runtime } from './locate-playwright.ts';
import { runTests } from './playwright-test.ts';
import { catchStrays } from './uncaught-errors.ts';

/** What a script came to. */
export type Over = Omit<ScriptReport, 'durationMs' | 'dropped'>;

/** One run, with what it happens in. */
export interface Running {
  readonly job: BrowserJob;
  readonly runtime: Runtime;
  readonly executors: Executors;
  readonly first: Executor;
  readonly host: NodeJS.Process;
}

export interface Paths {
  readonly file: string;
  readonly folder: string;
  readonly evidence: string;
  readonly place: string;
}
/** What is told of a script of its own. */
export interface ScriptListener {
  readonly onDone: (errors: readonly string[], handed: Handed | undefined) => void;
  /** Nothing is left of it but a process that it started. */
  readonly onWait: (what: string) => void;
}
/** Listens to what the executors say. */
export type Listening = (listener?: ScriptListener) => void;

/** A script of its own: in the executor, within its time. */
export async function runOfScript(
  { job, first, host }: Running,
  { file, folder, evidence }: Paths,
  env: Env,
  listen: Listening,
): Promise<Over> {
  const { process: child } = first;
  const message: ToExecutor = {
    ...{ sonde: 'script', file, folder, evidence, env, baseUrl: job.baseUrl, timeoutMs: job.timeoutMs },
    ...{ further: (job.further ?? []).map((path) => join(folder, path)), globals: job.globals ?? null },
  };
  const late = `the script did not end within ${job.timeoutMs / 1000} s`;
  return new Promise((resolve) => {
    let awaited: string | undefined;
    const end = (outcome: Over['outcome'], errors: readonly string[], handed?: Handed) => {
      clearTimeout(timer);
      resolve({ outcome, errors, tests: [], ...(handed ? { handed } : {}) });
    };
    const onLate = () =>
      end('timed-out', [
        awaited === undefined ? late : `${late}: a process that it started is still running: ${awaited}`,
      ]);
    const timer = setTimeout(onLate, job.timeoutMs);
    listen({
      onDone: (errors, handed) => end(outcomeOf(errors), errors, handed),
      onWait: (what) => {
        awaited = what;
      },
    });
    // A script can reach the channel that its process is spoken with by: what it writes there is no report.
    host.once('uncaughtException', ({ message: why }) =>
      end('unusable', [`the script disturbed its runner: ${why}`]),
    );
    const killsBefore = outOfMemoryKills();
    child.once('exit', (code, signal) => {
      const [outcome, errors] = ending(code, signal);
      end(outcome === 'fault' && outOfMemoryKills() === killsBefore ? 'unusable' : outcome, errors);
    });
    send(child, message);
  });
}

/** What a script that cannot be read, or names what is not there, throws first: it says nothing of the target; an answer that is no JSON does. */
const BROKEN = /^(?:SyntaxError(?!.*\bJSON\b)|ReferenceError): |^Error: Cannot find (?:module|package) /m;

function outcomeOf([first]: readonly string[]): Over['outcome'] {
  if (first === undefined) return 'passed';
  return BROKEN.test(first) ? 'unusable' : 'failed';
}

/** What it means that a script's process ended before the script was over. */
function ending(code: number | null, signal: NodeJS.Signals | null): [Over['outcome'], string[]] {
  if (signal === 'SIGABRT' || code === 134) return ['unusable', ['the script ran out of memory']];
  if (signal !== null) return ['fault', [`the process of the script was killed by ${signal}`]];
  return ['failed', [`the script ended its process with exit code ${code}`]];
}

/** A file of Playwright Test. */
export async function runOfTests(
  { job, runtime, executors, first, host }: Running,
  { file, folder, evidence, place }: Paths,
  env: Env,
  listen: Listening,
): Promise<Over> {
  listen();
  for (const name of Object.keys(host.env)) delete host.env[name];
  Object.assign(host.env, env);
  host.chdir(folder);
  const endsAt = performance.now() + job.timeoutMs + job.evidenceMs / 4;
  let spare: Executor | undefined = first;
  const worker = () => {
    const executor = spare && !hasEnded(spare) ? spare : executors.make(false);
    spare = undefined;
    boundStopping(executor.process, endsAt);
    void executor.ready.then(() =>
      send(executor.process, { sonde: 'worker', env: { ...env, ...own(host) }, folder }),
    );
    return executor.process;
  };
  const { baseUrl, timeoutMs } = job;
  const strays = catchStrays(host);
  const run = runTests({ ...{ runtime, file, folder, evidence, place, baseUrl, timeoutMs, worker } });
  const stray = strays.first.then((error) => ({
    passed: false,
    timedOut: false,
    errors: [error],
    tests: [],
  }));
  const over = await Promise.race([run, stray]).finally(strays.stop);
  const { passed, timedOut, errors, tests: reports } = over;
  if (timedOut) {
    const late = `the script did not end within ${timeoutMs / 1000} s`;
    return {
      outcome: 'timed-out',
      errors: [late, ...errors.filter((error) => !/^Timed out waiting/.test(error))],
      tests: reports,
    };
  }
  const isUntested = reports.every(({ status }) => status === 'skipped');
  if (passed && !isUntested) return { outcome: 'passed', errors: [], tests: reports };
  const why = passed
    ? 'no test ran, because all tests are skipped'
    : 'Playwright Test ended without an error message';
  const told = errors.length > 0 ? errors : [why];
  return { outcome: isUntested ? 'unusable' : 'failed', errors: told, tests: reports };
}

/** The time that a worker has to end once Playwright Test has told it to stop, in ms. */
const STOP_MS = 45_000;

/** Playwright Test waits for its workers whatever they wait for. `endsAt`: when none may run any more, by `performance.now()`. */
function boundStopping(child: ChildProcess, endsAt: number): void {
  const { send } = child;
  child.send = (...given: unknown[]) => {
    const [message] = given as [{ readonly method?: string }];
    if (message.method === '__stop__') {
      const left = Math.max(0, endsAt - performance.now());
      setTimeout(() => child.kill('SIGKILL'), Math.min(STOP_MS, left)).unref();
    }
    return Reflect.apply(send, child, given) as boolean;
  };
}

/** What Playwright Test has put into its environment for its workers. */
function own(host: NodeJS.Process): Env {
  return Object.fromEntries(
    Object.entries(host.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

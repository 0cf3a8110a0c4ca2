/** Starts executors, and runs a plain script to its end in one. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { countOomKills } from '../../../sandbox/cell/procfs.ts';
import type { BrowserJob, ConsoleLine, Preparation, ScriptReport, ScriptState } from '../protocol.ts';
import type { Env, FromExecutor, ToExecutor } from './executor.ts';
import type { Runtime } from './locate-playwright.ts';
import { limitScriptMs } from './playwright-config.ts';

export type Executors = ReturnType<typeof createExecutors>;
export type Executor = ReturnType<Executors['make']>;

/** Creates the executors. `proxy`: the only way out of the cell; null: the cell has the machine's network. */
export function createExecutors(program: string, preparation: Preparation, proxy: string | null) {
  const handlers = {
    onOutput: (_level: 'stdout' | 'stderr', _chunk: Buffer): void => {},
    onLog: (_line: Omit<ConsoleLine, 'atMs'>): void => {},
    onFault: (_reason: string): void => {},
    onMisuse: (_reason: string): void => {},
    onNote: (_text: string): void => {},
    onDone: (_errors: readonly string[], _scriptState: ScriptState | undefined): void => {},
    /** Called if only a process that the script started still runs. */
    onWait: (_what: string): void => {},
    /** Called before the listeners of `exit`. */
    onExit: (): void => {},
  };

  function handleMessage(message: Exclude<FromExecutor, { sonde: 'ready' | 'unready' }>): void {
    if (message.sonde === 'console') handlers.onLog(message.line);
    else if (message.sonde === 'fault') handlers.onFault(message.reason);
    else if (message.sonde === 'misused') handlers.onMisuse(message.reason);
    else if (message.sonde === 'note') handlers.onNote(message.text);
    else if (message.sonde === 'done') handlers.onDone(message.errors, message.scriptState);
    else if (message.sonde === 'waits') handlers.onWait(message.for);
    else if (message.sonde === 'exits') handlers.onExit();
  }

  function forwardWorkerOutput(message: unknown): void {
    const { method, params } = (message as { params?: Partial<WorkerOutput> }).params ?? {};
    if (method !== 'stdOut' && method !== 'stdErr') return;
    const { text = '', buffer } = params ?? {};
    const chunk = buffer === undefined ? Buffer.from(text) : Buffer.from(buffer, 'base64');
    handlers.onOutput(method === 'stdOut' ? 'stdout' : 'stderr', chunk);
  }

  return {
    handlers,
    make(warmsUp: boolean) {
      const child = fork(program, ['executor'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      child.on('error', () => {});
      const ready = new Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>((resolve) => {
        child.on('message', (message: FromExecutor | null) => {
          if (message === null) return;
          if (message.sonde === 'ready' || message.sonde === 'unready') resolve(message);
          else if (message.sonde !== undefined) handleMessage(message);
          else forwardWorkerOutput(message);
        });
        child.once('exit', (code, signal) =>
          resolve({ sonde: 'unready', reason: `its process ended (${signal ?? `exit code ${code}`})` }),
        );
      });
      for (const level of ['stdout', 'stderr'] as const)
        child[level]?.on('data', (chunk: Buffer) => handlers.onOutput(level, chunk));
      sendToExecutor(child, { sonde: 'prepare', preparation: { ...preparation, warmsUp }, proxy });
      return { process: child, ready };
    },
  };
}

interface WorkerOutput {
  readonly method: string;
  readonly params: { readonly text?: string; readonly buffer?: string };
}

export function sendToExecutor(child: ChildProcess, message: ToExecutor): void {
  // The end of a disconnected executor is reported elsewhere.
  if (child.connected) child.send(message, () => {});
}

export type ScriptResult = Omit<ScriptReport, 'durationMs' | 'dropped'>;

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

/** Time limit of the script's listeners of `exit`, in ms. They cannot wait for anything, so that only loops take long. */
const EXIT_LIMIT_MS = 5000;

export async function runScript(
  { job, executors, first, host }: ScriptRun,
  { file, folder, artifactFolder }: ScriptPaths,
  env: Env,
): Promise<ScriptResult> {
  const { process: child } = first;
  const timeoutMs = limitScriptMs(job.playwrightConfig, job.timeoutMs);
  const timeoutError = `the script did not end within ${timeoutMs / 1000} s`;
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
    const timer = setTimeout(onTimeout, timeoutMs);
    executors.handlers.onExit = () => {
      const limit = Math.min(EXIT_LIMIT_MS, timeoutMs);
      const onLimit = () =>
        finish('unusable', [`the listeners of "exit" of the script did not end within ${limit / 1000} s`]);
      setTimeout(onLimit, limit).unref();
    };
    executors.handlers.onDone = (errors, handed) => finish(classifyErrors(errors), errors, handed);
    executors.handlers.onWait = (what) => {
      awaitedProcess = what;
    };
    // A script can write to the channel of its process. Invalid messages are not a report.
    host.once('uncaughtException', ({ message: why }) =>
      finish('unusable', [`the script disturbed its runner: ${why}`]),
    );
    const killsBefore = countOomKills();
    child.once('exit', (code, signal) => {
      const [outcome, errors] = classifyExit(code, signal);
      finish(outcome === 'fault' && countOomKills() === killsBefore ? 'unusable' : outcome, errors);
    });
    sendToExecutor(child, {
      sonde: 'script',
      file,
      folder,
      artifactFolder,
      env,
      baseUrl: job.baseUrl,
      playwrightConfig: job.playwrightConfig ?? {},
      timeoutMs,
      further: (job.furtherScripts ?? []).map((path) => join(folder, path)),
      globals: job.globals ?? null,
    });
  });
}

/** First error of a broken script, which says nothing about the target. An answer that is not JSON does. */
const BROKEN_SCRIPT =
  /^(?:SyntaxError(?!.*\bJSON\b)|ReferenceError|EmptyScript): |^Error: Cannot find (?:module|package) /m;

function classifyErrors([first]: readonly string[]): ScriptResult['outcome'] {
  if (first === undefined) return 'passed';
  return BROKEN_SCRIPT.test(first) ? 'unusable' : 'failed';
}

function classifyExit(
  code: number | null,
  signal: NodeJS.Signals | null,
): [ScriptResult['outcome'], string[]] {
  if (signal === 'SIGABRT' || code === 134) return ['unusable', ['the script ran out of memory']];
  if (signal !== null) return ['fault', [`the process of the script was killed by ${signal}`]];
  return ['failed', [`the script ended its process with exit code ${code}`]];
}

/** The child program: prepares an executor, gives it one script, watches its time, and hands in what is worth keeping. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { scrubber } from '../../scrub.ts';
import {
  BOUNDS,
  type BrowserJob,
  type ConsoleLine,
  type Preparation,
  type ScriptReport,
  type Told,
} from '../protocol.ts';
import { handIn } from './evidence.ts';
import type { Env, FromExecutor, ToExecutor } from './executor.ts';
import { libraryAt, type Runtime } from './library.ts';
import { listTests, runTests } from './playwright-test.ts';
import { rehearseRunning } from './rehearsal.ts';
import { catchStrays } from './strays.ts';
import { lineReader } from './witness.ts';

/** Descriptor that reports go to: what the script writes to stdout is not among them. */
const REPORTS = 3;
/** What the environment has whatever the check says. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

type Over = Omit<ScriptReport, 'durationMs' | 'dropped'>;

/** Reads a preparation and then a job from stdin, one line each, and ends after the job. */
export async function supervise(host: NodeJS.Process, program: string): Promise<void> {
  const tell = (told: Told) => writeAll(REPORTS, `${JSON.stringify(told)}\n`);
  const input = createInterface({ input: host.stdin });
  const lines = input[Symbol.asyncIterator]();
  const next = async <Message>() => {
    const { value, done } = await lines.next();
    // Nobody is there any more.
    if (done) host.exit(0);
    return JSON.parse(value as string) as Message;
  };
  const preparation = await next<Preparation>();
  const runtime = libraryAt(preparation.playwright);
  const executors = executorsOf(program, preparation);
  const first = executors.make(preparation.rehearses);
  if (preparation.kind === 'test' && preparation.rehearses)
    await rehearse(preparation, runtime).catch(() => {});
  const ready = await first.ready;
  if (ready.sonde !== 'ready') {
    tell({ type: 'unready', reason: ready.reason });
    host.exit(0);
    return;
  }
  tell({ type: 'ready', browser: ready.browser, sandboxed: ready.sandboxed });
  const job = await next<BrowserJob>();
  // Its end means that whoever asked has gone.
  const leave = host.exit.bind(host, 0);
  void lines.next().then(leave);
  const running = { job, preparation, runtime, executors, first, host, tell };
  const report = await runJob(running).catch((error: unknown) => broken(error));
  tell({ type: 'over', report });
  host.exit(0);
}

/** What Playwright Test itself, or this program, stumbled over: nothing is known of the target. */
function broken(error: unknown): ScriptReport {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const errors = [`the script could not be run: ${reason}`];
  return { outcome: 'fault', errors, tests: [], durationMs: 0, dropped: { lines: 0, artifacts: 0 } };
}

/** Playwright Test, once through: what it loads on its way is there when it is needed. */
async function rehearse({ folder }: Preparation, runtime: Runtime): Promise<void> {
  const run = { runtime, baseUrl: null, timeoutMs: 10_000 };
  await rehearseRunning(folder, (file, place) =>
    listTests({ ...run, file, place, folder: place, evidence: join(place, 'evidence') }),
  );
}

/** Whole, also where the reader is slow: the descriptor may be a pipe that does not block. */
function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

interface Executor {
  readonly process: ChildProcess;
  readonly ready: Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>;
}

interface Executors {
  /** `rehearses`: there is time for it. */
  make(rehearses: boolean): Executor;
  /** Told of what executors say beyond being ready, and of what they write. */
  listener: (message: FromExecutor) => void;
  onOutput: (level: 'stdout' | 'stderr', chunk: Buffer) => void;
}

function executorsOf(program: string, preparation: Preparation): Executors {
  const executors: Executors = {
    listener: () => {},
    onOutput: () => {},
    make(rehearses) {
      const child = fork(program, ['executor'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      child.on('error', () => {});
      const ready = new Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>((resolve) => {
        child.on('message', (message: FromExecutor) => {
          if (message.sonde === 'ready' || message.sonde === 'unready') resolve(message);
          else if (message.sonde !== undefined) executors.listener(message);
          else written(message, executors.onOutput);
        });
        child.once('exit', (code, signal) =>
          resolve({ sonde: 'unready', reason: `its process ended (${signal ?? `exit code ${code}`})` }),
        );
      });
      for (const level of ['stdout', 'stderr'] as const)
        child[level]?.on('data', (chunk: Buffer) => executors.onOutput(level, chunk));
      send(child, { sonde: 'prepare', preparation: { ...preparation, rehearses } });
      return { process: child, ready };
    },
  };
  return executors;
}

/** What a worker of Playwright Test says of the script's output. */
function written(message: unknown, onOutput: Executors['onOutput']): void {
  const { method, params } = (message as { params?: Partial<Written> }).params ?? {};
  if (method !== 'stdOut' && method !== 'stdErr') return;
  const { text, buffer } = params ?? {};
  onOutput(
    method === 'stdOut' ? 'stdout' : 'stderr',
    buffer === undefined ? Buffer.from(text ?? '') : Buffer.from(buffer, 'base64'),
  );
}
interface Written {
  readonly method: string;
  readonly params: { readonly text?: string; readonly buffer?: string };
}

function send(child: ChildProcess, message: ToExecutor): void {
  // Where it is gone, its end is told elsewhere.
  if (child.connected) child.send(message, () => {});
}

interface Running {
  readonly job: BrowserJob;
  readonly preparation: Preparation;
  readonly runtime: Runtime;
  readonly executors: Executors;
  readonly first: Executor;
  readonly host: NodeJS.Process;
  readonly tell: (told: Told) => void;
}

async function runJob(running: Running): Promise<ScriptReport> {
  const { job, preparation, runtime, executors, host, tell } = running;
  const place = join(preparation.folder, 'run');
  const folder = join(place, 'script');
  const evidence = join(place, 'evidence');
  const written = layOut(job, folder, runtime);
  mkdirSync(evidence, { recursive: true });
  const env: Env = {
    ...Object.fromEntries(KEPT.flatMap((name) => (host.env[name] ? [[name, String(host.env[name])]] : []))),
    ...job.environment,
  };
  const scrub = scrubber(job.secrets);
  const beganAt = performance.now();
  let lines = 0;
  const say = (line: Omit<ConsoleLine, 'atMs'>) => {
    if (++lines > BOUNDS.consoleLines) return;
    const text = scrub(line.text).slice(0, BOUNDS.lineLength);
    tell({ type: 'console', line: { ...scrub(line), text, atMs: Math.round(performance.now() - beganAt) } });
  };
  const readers = {
    stdout: lineReader((text) => say({ from: 'script', level: 'stdout', text })),
    stderr: lineReader((text) => say({ from: 'script', level: 'stderr', text })),
  };
  executors.onOutput = (level, chunk) => readers[level].write(chunk);
  let fault: string | undefined;
  const withFaults = (done?: (errors: readonly string[]) => void) => {
    executors.listener = (message) => {
      if (message.sonde === 'console') say(message.line);
      else if (message.sonde === 'fault') fault ??= message.reason;
      else if (message.sonde === 'done') done?.(message.errors);
    };
  };
  const paths = { file: join(folder, job.entry), folder, evidence, place };
  const over = await (job.kind === 'test'
    ? tests(running, paths, env, withFaults)
    : plain(running, paths, env, withFaults));
  const durationMs = Math.round(performance.now() - beganAt);
  for (const reader of Object.values(readers)) reader.end();
  const judged: Over =
    fault === undefined ? over : { ...over, outcome: 'fault', errors: [fault, ...over.errors] };
  const artifacts = handIn(
    {
      ...{ folders: [evidence, folder], known: written, secrets: job.secrets },
      withTraces: judged.outcome !== 'passed',
    },
    tell,
  );
  return scrub({
    ...judged,
    errors: bounded(judged.errors),
    tests: judged.tests.slice(0, 200).map((test) => ({ ...test, errors: bounded(test.errors) })),
    durationMs,
    dropped: { lines: Math.max(0, lines - BOUNDS.consoleLines), artifacts },
  });
}

const bounded = (errors: readonly string[]) =>
  errors.slice(0, BOUNDS.errors).map((error) => error.slice(0, BOUNDS.errorLength));

/** Writes the files of the script, and beside them the packages of the runtime. Gives the paths. */
function layOut({ files }: BrowserJob, folder: string, runtime: Runtime): Set<string> {
  const paths = files.map(({ path, content }) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  });
  for (const [name, target] of Object.entries(runtime.packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
  return new Set(paths);
}

interface Paths {
  readonly file: string;
  readonly folder: string;
  readonly evidence: string;
  readonly place: string;
}
type Listening = (done?: (errors: readonly string[]) => void) => void;

/** A script of its own: in the executor, within its time. */
async function plain(
  { job, first }: Running,
  { file, folder, evidence }: Paths,
  env: Env,
  listen: Listening,
): Promise<Over> {
  const { process: child } = first;
  const message: ToExecutor = { sonde: 'script', file, folder, evidence, env, baseUrl: job.baseUrl };
  const late = `the script did not end within ${job.timeoutMs / 1000} s`;
  return new Promise((resolve) => {
    const end = (outcome: Over['outcome'], errors: readonly string[]) => {
      clearTimeout(timer);
      resolve({ outcome, errors, tests: [] });
    };
    const timer = setTimeout(() => end('timed-out', [late]), job.timeoutMs);
    listen((errors) => end(outcomeOf(errors), errors));
    child.once('exit', (code, signal) => end(...ending(code, signal)));
    send(child, message);
  });
}

/** What a script that cannot be read, or names what is not there, throws first: it says nothing of the target. */
const BROKEN = /^(?:SyntaxError|ReferenceError): |^Error: Cannot find (?:module|package) /m;

function outcomeOf([first]: readonly string[]): Over['outcome'] {
  if (first === undefined) return 'passed';
  return BROKEN.test(first) ? 'unusable' : 'failed';
}

/** What it means that a script's process ended before the script was over. */
function ending(code: number | null, signal: NodeJS.Signals | null): [Over['outcome'], string[]] {
  if (signal === 'SIGABRT' || code === 134)
    return ['unusable', ['the script used up the memory of its process']];
  if (signal !== null) return ['fault', [`the process of the script was ended by ${signal}`]];
  return ['failed', [`the script ended its process with exit code ${code}`]];
}

/** A file of Playwright Test. */
async function tests(
  { job, runtime, executors, first, host }: Running,
  { file, folder, evidence, place }: Paths,
  env: Env,
  listen: Listening,
): Promise<Over> {
  listen();
  for (const name of Object.keys(host.env)) delete host.env[name];
  Object.assign(host.env, env);
  host.chdir(folder);
  let spare: Executor | undefined = first;
  const worker = () => {
    const executor = spare ?? executors.make(false);
    spare = undefined;
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
    ? 'no test ran: all of them are skipped, so nothing is known of the target'
    : 'Playwright Test ended without saying why';
  const told = errors.length > 0 ? errors : [why];
  return { outcome: isUntested ? 'unusable' : 'failed', errors: told, tests: reports };
}

/** What Playwright Test has put into its environment for its workers. */
function own(host: NodeJS.Process): Env {
  return Object.fromEntries(
    Object.entries(host.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

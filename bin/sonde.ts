/**
 * Starts sonde: answers --version itself, finds the command, loads its bundle and sets the exit code. The only file that
 * uses `process`.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../src/base/exits.ts';
import type { ShellRequest } from '../src/cli/completion/answer-shell.ts';
import type { ProcessHost, Program } from '../src/cli/framework/host.ts';
import { resolveCommand } from '../src/cli/framework/resolve-command.ts';
import { flagsWithValue, names } from '../src/cli/generated/names.ts';

/** Defined by the build. */
declare const SONDE_VERSION: string;

/** Node exits with 0 if a promise never settles and the event loop is empty: that must not look like a passed verdict. */
const UNFINISHED = EXIT.bug;
const SIGNALS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

process.exitCode = UNFINISHED;

/** Time allowed for cleanup after a second signal, in ms. */
const CLEANUP_MS = 2000;

/** Writes a line to stderr while no program is loaded or after it has ended. */
function printError(line: string): void {
  const { writeSync } = require('node:fs') as typeof import('node:fs');
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nothing reads stderr: the exit code remains.
  }
}

/** Returns undefined if another program deleted the folder. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** `nohup` opens the null device for writing only in the place of a terminal. */
function isUnreadableNull(stream: number): boolean {
  const { devNull } = require('node:os') as typeof import('node:os');
  const { fstatSync, readSync, statSync } = require('node:fs') as typeof import('node:fs');
  try {
    if (fstatSync(stream).rdev !== statSync(devNull).rdev) return false;
    readSync(stream, Buffer.alloc(1));
    return false;
  } catch {
    return true;
  }
}

/** Commands that people start from a terminal and leave running. */
const SERVERS = ['service start', 'agent start'];

/**
 * Tells whether a hang-up is not for this process. Node listens to a signal that its parent made ignored, as `nohup` does, so
 * sonde looks for other traces of `nohup`: its name, and the input that cannot be read. A server that shows nothing in a terminal
 * does not end with one.
 */
function outlivesTerminal(name: string | undefined): boolean {
  if (process.env._?.endsWith('/nohup')) return true;
  if (isUnreadableNull(0)) return true;
  const { isatty } = require('node:tty') as typeof import('node:tty');
  return SERVERS.includes(name ?? '') && ![0, 1, 2].some((stream) => isatty(stream));
}

/** Time limit of a completion, in ms. */
const COMPLETION_MS = 1000;

/** Prints completions for the scripts of `sonde completion`. Always exits silently with 0. */
function complete(): void {
  process.exitCode = EXIT.done;
  const end = (): never => process.exit(EXIT.done);
  for (const event of ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(event, end);
  const { answerShell } = require(join(__dirname, 'commands', '_complete.cjs')) as {
    readonly answerShell: (request: ShellRequest) => Promise<string>;
  };
  const { writeSync } = require('node:fs') as typeof import('node:fs');
  answerShell({
    argv: process.argv.slice(3),
    env: process.env,
    home: homedir(),
    cwd: () => process.cwd(),
    version: SONDE_VERSION,
    now: Date.now,
    deadline: () => AbortSignal.timeout(Math.max(0, Math.ceil(COMPLETION_MS - performance.now()))),
  })
    .then((text) => writeSync(1, text))
    .then(end, end);
}

function start(): void {
  const { name, words, rest } = resolveCommand(process.argv.slice(2), { names, flagsWithValue });
  if (words.length === 0 && (rest.includes('--version') || rest.includes('-V'))) {
    process.exitCode = EXIT.done;
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      printError(`Error: could not write to stdout: ${error.message}`);
      process.exitCode = EXIT.output;
    });
    process.stdout.write(`${SONDE_VERSION}\n`);
    return;
  }
  let isFinished = false;
  const finish = (code: number): never => {
    isFinished = true;
    process.exit(code);
  };
  process.on('exit', () => {
    if (!isFinished)
      printError(
        'sonde ended before the command was complete: this is a bug; report it as described in README.md',
      );
  });

  const cwd = currentFolder();
  if (cwd === undefined) {
    printError('Error: the current folder was deleted: change to another folder');
    finish(EXIT.usage);
    return;
  }
  const stopListeners: ((signal: keyof typeof SIGNALS) => void)[] = [];
  const hurryListeners: (() => Promise<void>)[] = [];
  let isStopping = false;
  for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && outlivesTerminal(name)) return;
      if (isStopping) {
        // A second signal skips the clean shutdown: it waits only for the hurry listeners.
        const end = (): never => finish(SIGNALS[signal]);
        const cleanups = hurryListeners.splice(0);
        if (cleanups.length === 0) end();
        setTimeout(end, CLEANUP_MS);
        void Promise.allSettled(cleanups.map((listener) => listener())).then(end);
        return;
      }
      isStopping = true;
      for (const listener of stopListeners) listener(signal);
    });
  }
  let isLoaded = false;
  const crashListeners: ((error: unknown) => void)[] = [];
  const crash = (error: unknown): void => {
    // The program reports the error; another error meanwhile ends the process.
    const [report] = crashListeners.splice(0);
    if (report) {
      report(error);
      return;
    }
    if (!isLoaded)
      printError('sonde could not load its own files: the installation is incomplete; install sonde again');
    finish(UNFINISHED);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // The terminal handles stream errors; without a listener Node would throw errors that come after it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const host: ProcessHost = {
    argv: name === undefined ? process.argv.slice(2) : rest,
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    get stdinIsTTY() {
      return (require('node:tty') as typeof import('node:tty')).isatty(0);
    },
    stdout: process.stdout,
    stderr: process.stderr,
    cwd,
    home: homedir(),
    platform: process.platform,
    version: SONDE_VERSION,
    nodeVersion: process.version,
    pid: process.pid,
    kill: (pid, signal) => process.kill(pid, signal),
    execPath: process.execPath,
    script: __filename,
    onStop: (listener) => stopListeners.push(listener),
    onSecondStop: (listener) => void hurryListeners.push(listener),
    onCrash: (listener) => crashListeners.push(listener),
    runBlocking(work) {
      const saved = [...Object.keys(SIGNALS), 'SIGTSTP'].map(
        (name) => [name, process.listeners(name as 'SIGINT')] as const,
      );
      for (const [name] of saved) process.removeAllListeners(name);
      try {
        return work();
      } finally {
        for (const [name, listeners] of saved) for (const each of listeners) process.on(name, each);
      }
    },
    onLeave(leave, back) {
      // Prepended, so that it runs before the exit listener that prints.
      process.prependListener('exit', leave);
      const suspend = () => {
        leave();
        // Sent again without a listener: the system suspends the process only if someone can resume it.
        process.off('SIGTSTP', suspend);
        process.kill(process.pid, 'SIGTSTP');
        setImmediate(() => {
          process.on('SIGTSTP', suspend);
          back();
        });
      };
      process.on('SIGTSTP', suspend);
    },
  };
  const file = name === undefined ? '_root' : name.replace(' ', '-');
  const program: Program = require(join(__dirname, 'commands', `${file}.cjs`));
  const ended = program.main(host);
  isLoaded = true;
  ended.then(finish, crash);
}

if (process.argv[2] === '__complete') complete();
else start();

/**
 * The entry: answers --version itself, finds the command's name, loads the one bundle that holds it, and sets the exit
 * code. The only file that touches `process`.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../src/base/exits.ts';
import type { ShellRequest } from '../src/cli/completion/answer-shell.ts';
import type { ProcessHost, Program } from '../src/cli/framework/host.ts';
import { resolveCommand } from '../src/cli/framework/resolve-command.ts';
import { flagsWithValue, names } from '../src/cli/generated/names.ts';

/** Put in by the build. */
declare const SONDE_VERSION: string;
declare const SONDE_RELEASE: ProcessHost['release'];

/** Node ends with 0 when its loop runs dry on a promise that never settles: that must not look like a good verdict. */
const UNFINISHED = EXIT.bug;
const SIGNALS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

process.exitCode = UNFINISHED;

/** What is said in a hurry may take so long, in ms. */
const HURRY_MS = 2000;

/** A last word on stderr, where no program is there to say it, or none any more. */
function say(line: string): void {
  const { writeSync } = require('node:fs') as typeof import('node:fs');
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody reads it: the exit code says it, too.
  }
}

/** How long a press of Tab may take in all, in ms. */
const TAB_MS = 1000;

/** What the scripts of `sonde completion` call at each press of the key: whatever goes wrong, it ends quietly and well. */
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
    deadline: () => AbortSignal.timeout(Math.max(0, Math.ceil(TAB_MS - performance.now()))),
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
      say(`Error: could not write to stdout: ${error.message}`);
      process.exitCode = EXIT.output;
    });
    process.stdout.write(`${SONDE_VERSION}\n`);
    return;
  }
  let finished = false;
  const finish = (code: number): never => {
    finished = true;
    process.exit(code);
  };
  process.on('exit', () => {
    if (!finished)
      say('sonde ended before the command was complete: this is a bug; report it as described in README.md');
  });

  const stopListeners: ((signal: keyof typeof SIGNALS) => void)[] = [];
  const hurryListeners: (() => Promise<void>)[] = [];
  let stopping = false;
  for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
    process.on(signal, () => {
      if (stopping) {
        // Whoever asks twice doesn't want to wait for an orderly end: for what must be said in a hurry at most.
        const end = (): never => finish(SIGNALS[signal]);
        const hurried = hurryListeners.splice(0);
        if (hurried.length === 0) end();
        setTimeout(end, HURRY_MS);
        void Promise.allSettled(hurried.map((listener) => listener())).then(end);
        return;
      }
      stopping = true;
      for (const listener of stopListeners) listener(signal);
    });
  }
  let isLoaded = false;
  const crashListeners: ((error: unknown) => void)[] = [];
  const crash = (error: unknown): void => {
    // The program tells it; a second one, while it does, ends it.
    const [tell] = crashListeners.splice(0);
    if (tell) {
      tell(error);
      return;
    }
    if (!isLoaded)
      say('sonde could not load its own files: the installation is incomplete; install sonde again');
    finish(UNFINISHED);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // What goes wrong with a stream is the terminal's to judge; without a listener it would be thrown after its time, too.
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
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    version: SONDE_VERSION,
    release: SONDE_RELEASE,
    nodeVersion: process.version,
    pid: process.pid,
    kill: (pid, signal) => process.kill(pid, signal),
    execPath: process.execPath,
    script: __filename,
    onStop: (listener) => stopListeners.push(listener),
    onSecondStop: (listener) => void hurryListeners.push(listener),
    onCrash: (listener) => crashListeners.push(listener),
    runBlocking(work) {
      const held = [...Object.keys(SIGNALS), 'SIGTSTP'].map(
        (name) => [name, process.listeners(name as 'SIGINT')] as const,
      );
      for (const [name] of held) process.removeAllListeners(name);
      try {
        return work();
      } finally {
        for (const [name, listeners] of held) for (const each of listeners) process.on(name, each);
      }
    },
    onLeave(leave, back) {
      // Before the last word is said.
      process.prependListener('exit', leave);
      const suspend = () => {
        leave();
        // Once more without a listener: the system knows whether there is anybody who could have it go on.
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

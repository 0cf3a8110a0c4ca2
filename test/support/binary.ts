/** Runs the built binary as its users do: as a process of its own, with pipes or in a terminal, in a home of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What is run: `dist/sonde.cjs`, or what SONDE_TEST_BINARY names, such as an installed package's. */
export const BINARY = process.env.SONDE_TEST_BINARY ?? join(root, 'dist/sonde.cjs');

export type Env = Readonly<Record<string, string | undefined>>;

/** The environment of a user who has nothing but a home: what the developer's own shell holds changes no answer. */
export function bareEnv(home: string, more: Env = {}): Record<string, string> {
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, HOME: home, LANG: 'C.UTF-8', ...more };
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** How a process ended and what it said. */
export interface Ran {
  /** The exit code; null where a signal ended it that sonde does not catch. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** What stdin holds; nothing where left out. */
  readonly stdin?: string | undefined;
  /** Another build than `BINARY`. */
  readonly binary?: string | undefined;
  /** Another program of Node than that of the tests. */
  readonly node?: string | undefined;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  /** What was written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once stderr holds the text; rejects where the process ends without it. */
  saw(text: string): Promise<void>;
  readonly ended: Promise<Ran>;
}

/** Starts the binary and does not wait for it. It is killed where it outlives its test. */
export function startSonde(
  args: readonly string[],
  { env, cwd, stdin = '', binary = BINARY, node = process.execPath }: RunOptions,
): Running {
  const child = spawn(node, [binary, ...args], { env, cwd: cwd ?? env.HOME });
  const texts = { stdout: '', stderr: '' };
  const changed = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (chunk: string) => {
      texts[name] += chunk;
      for (const look of changed) look();
    });
  }
  // A command that never reads its stdin may end before all of it was written.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
  });
  ended.catch(() => {});
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    saw: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!texts.stderr.includes(text)) return;
          changed.delete(look);
          resolve();
        };
        changed.add(look);
        look();
        ended.then(
          ({ code }) => reject(new Error(`exit ${code} before "${text}":\n${texts.stderr}`)),
          reject,
        );
      }),
  };
}

/** As `startSonde`, for the time of one test. */
export function watchSonde(args: readonly string[], options: RunOptions): Running {
  const running = startSonde(args, options);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** Runs the binary to its end, without a terminal. */
export const sonde = (args: readonly string[], options: RunOptions): Promise<Ran> =>
  startSonde(args, options).ended;

export interface ShellOptions extends Omit<RunOptions, 'stdin'> {
  /** Shell that each call of `sonde` runs first: it may change its arguments. */
  readonly first?: string;
}

/** Runs a line of shell in which `sonde` is the binary: for pipes and redirections. */
export async function shell(line: string, { env, cwd, first = '' }: ShellOptions): Promise<Ran> {
  const script = `sonde() {${first}\n"${process.execPath}" "${BINARY}" "$@"; }\n${line}`;
  const child = spawn('bash', ['-c', script], {
    env,
    cwd: cwd ?? env.HOME,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
  });
}

export interface TerminalRunOptions extends RunOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Keys to press once the screen shows a text, in turn. */
  readonly keys?: readonly (readonly [shown: string, keys: string])[];
  /** Leaves stderr out of the screen, so that the result alone is seen. */
  readonly resultOnly?: boolean;
}

/** Runs the binary in a terminal: stdout and stderr come as one, as on a screen. */
export async function sondeInTerminal(
  args: readonly string[],
  { env, cwd, columns = 80, rows = 24, keys = [], resultOnly = false, binary = BINARY }: TerminalRunOptions,
): Promise<{ readonly code: number; readonly screen: string }> {
  const line = [process.execPath, binary, ...args];
  const redirected = `exec "$@"${resultOnly ? ' 2>/dev/null' : ''}`;
  const terminal = spawnInTerminal('bash', ['-c', redirected, 'sonde', ...line], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: cwd ?? env.HOME ?? '/',
    env,
  });
  let screen = '';
  let answered = 0;
  return new Promise((resolve) => {
    terminal.onData((data) => {
      screen += data;
      const [shown, press] = keys[answered] ?? [];
      if (shown === undefined || press === undefined || !screen.includes(shown)) return;
      answered += 1;
      terminal.write(press);
    });
    terminal.onExit(({ exitCode, signal }) => resolve({ code: exitCode || (signal ?? 0), screen }));
  });
}

/** A screen without its colours and movements, and with plain line ends. */
export const plain = (screen: string): string => stripVTControlCharacters(screen).replaceAll('\r\n', '\n');

/** The columns that a plain screen fills, without links: nothing breaks those, as they are there to be followed. */
export const widest = (screen: string): number =>
  Math.max(...screen.split('\n').map((line) => [...line.replace(/https?:\/\/\S+/, '')].length));

/** The error object that `--json` prints as the last line of stderr; warnings may stand before it. */
export const errorOf = (stderr: string): unknown =>
  (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { readonly error: unknown }).error;

/** Runs a program of the system for a while, and keeps so many lines of what it says. */
import { spawn } from 'node:child_process';

export interface Said {
  readonly lines: readonly string[];
  readonly stderr: string;
  /** ENOENT where there is no such program; null: it was started. */
  readonly problem: string | null;
}

export interface Running {
  /** Resolves with its first line to stderr, or at its end. */
  readonly started: Promise<void>;
  readonly over: Promise<Said>;
  /** Asks it to end, and makes it a little later. */
  stop(): void;
}

const MOST_LINES = 60;
const LONGEST = 300;
/** What was asked to end is given so long, in ms. */
const KILL_MS = 400;
/** Where such programs lie, those for the superuser included. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

export function start(program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { env: { PATH, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let stderr = '';
  let problem: string | null = null;
  let kill: NodeJS.Timeout | undefined;
  let begun = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (out.length < MOST_LINES * LONGEST) out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(0, 1000);
    begun();
  });
  const over = new Promise<Said>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      problem = error.code ?? error.message;
      begun();
      resolve({ lines: [], stderr, problem });
    });
    child.once('close', () => {
      clearTimeout(kill);
      begun();
      const lines = out.split('\n').filter((line) => line.trim() !== '');
      resolve({ lines: lines.slice(0, MOST_LINES).map((line) => line.slice(0, LONGEST)), stderr, problem });
    });
  });
  return {
    ...{ started, over },
    stop() {
      child.kill('SIGINT');
      kill ??= setTimeout(() => child.kill('SIGKILL'), KILL_MS);
    },
  };
}

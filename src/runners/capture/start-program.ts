/** Runs a program of the system for a while, and keeps so many lines of what it says. */
import { spawn } from 'node:child_process';

export interface ProgramOutput {
  readonly lines: readonly string[];
  readonly stderr: string;
  /** ENOENT where there is no such program; null: it was started. */
  readonly problem: string | null;
}

export interface RunningProgram {
  /** Resolves with its first line to stderr, or at its end. */
  readonly started: Promise<void>;
  readonly finished: Promise<ProgramOutput>;
  /** Asks it to end, and makes it a little later. */
  stop(): void;
}

const MAX_LINES = 60;
const MAX_LINE_LENGTH = 300;
/** What was asked to end is given so long, in ms. */
const KILL_AFTER_MS = 400;
/** Where such programs lie, those for the superuser included. */
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

export function startProgram(program: string, args: readonly string[]): RunningProgram {
  const child = spawn(program, args, { env: { PATH, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let stderr = '';
  let problem: string | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  let markStarted = () => {};
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    if (out.length < MAX_LINES * MAX_LINE_LENGTH) out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(0, 1000);
    markStarted();
  });
  const finished = new Promise<ProgramOutput>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      problem = error.code ?? error.message;
      markStarted();
      resolve({ lines: [], stderr, problem });
    });
    child.once('close', () => {
      clearTimeout(killTimer);
      markStarted();
      const lines = out.split('\n').filter((line) => line.trim() !== '');
      resolve({
        lines: lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH)),
        stderr,
        problem,
      });
    });
  });
  return {
    started,
    finished,
    stop() {
      child.kill('SIGINT');
      killTimer ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    },
  };
}

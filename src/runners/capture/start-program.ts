/** Starts a system program and collects a limited number of output lines. */
import { spawn } from 'node:child_process';

export interface ProgramOutput {
  readonly lines: readonly string[];
  readonly stderr: string;
  /** ENOENT if the program is missing; null if it started. */
  readonly problem: string | null;
}

export interface RunningProgram {
  /** Resolves with the first line on stderr, or when the program ends. */
  readonly started: Promise<void>;
  readonly finished: Promise<ProgramOutput>;
  /** Interrupts the program, and kills it after KILL_AFTER_MS. */
  stop(): void;
}

const MAX_LINES = 60;
const MAX_LINE_LENGTH = 300;
/** Time between the interrupt and the kill, in ms. */
const KILL_AFTER_MS = 400;
/** Includes the folders of administrator programs. */
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

/** Runs the commands of a suite, one after the other, within the time that all of them have together. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { ScriptConsole } from '../../browser/child/channel.ts';
import type { Engine } from '../protocol.ts';

export type Env = Readonly<Record<string, string>>;

export interface CommandEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly isLate: boolean;
  /** The end of what it wrote to stderr, or to stdout where that is empty. */
  readonly lastOutput: string;
}

export interface CommandRunner {
  run(command: string, variables?: Env): Promise<CommandEnd>;
  /** What is left of the time, in ms. */
  remainingMs(): number;
}

interface CommandRunnerOptions {
  readonly folder: string;
  readonly engine: Engine;
  /** Another program that commands find. */
  readonly bunProgram: string | null;
  readonly env: Env;
  readonly output: ScriptConsole;
  readonly timeoutMs: number;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
}

const MAX_OUTPUT_LENGTH = 2000;
/** How long what a command wrote may take to be read once it has ended, in ms. */
const READING_MS = 500;
/** What a command may take longer than its time to come to its end, in ms. */
const GRACE_MS = 3000;

/** Whole lines from the end: in a part of one a part of a secret would not be found. */
function lastLines(text: string): string {
  if (text.length <= MAX_OUTPUT_LENGTH) return text;
  const from = text.indexOf('\n', text.length - MAX_OUTPUT_LENGTH);
  return from < 0 ? '' : text.slice(from + 1);
}

export function createCommandRunner({
  folder,
  engine,
  bunProgram,
  env,
  output,
  timeoutMs,
  kill,
}: CommandRunnerOptions): CommandRunner {
  const beganAt = performance.now();
  const remainingMs = () => Math.max(1, Math.round(timeoutMs - (performance.now() - beganAt)));
  const programs = bunProgram === null ? [engine.program] : [engine.program, bunProgram];
  const bins = [...programs.map((program) => dirname(program)), join(folder, 'node_modules/.bin')];
  const base = { ...env, PATH: [...bins, env.PATH].join(':') };
  return {
    remainingMs,
    run: (command, variables = {}) =>
      new Promise((resolve) => {
        // A group of its own: what it started ends with it.
        const child = spawn('/bin/sh', ['-c', command], {
          ...{ cwd: folder, env: { ...base, ...variables }, detached: true },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const written = { stdout: '', stderr: '' };
        let isLate = false;
        for (const level of ['stdout', 'stderr'] as const) {
          child[level].on('data', (chunk: Buffer) => {
            written[level] = lastLines(written[level] + chunk.toString());
            output.write(level, chunk);
          });
        }
        const killGroup = () => {
          try {
            if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
          } catch {
            // Nobody is left in it.
          }
        };
        const timer = setTimeout(() => {
          isLate = true;
          killGroup();
        }, remainingMs() + GRACE_MS);
        const end = (code: number | null, problem = '') => {
          clearTimeout(timer);
          resolve({ code, isLate, lastOutput: problem || written.stderr.trim() || written.stdout.trim() });
        };
        child.once('error', (error) => end(null, error.message));
        child.once('close', (code) => end(code));
        child.once('exit', (code) => {
          clearTimeout(timer);
          killGroup();
          // Who left the group may hold the pipes for as long as it likes.
          setTimeout(() => {
            child.stdout.destroy();
            child.stderr.destroy();
            end(code);
          }, READING_MS);
        });
      }),
  };
}

/** Runs the commands of a suite in order, within their common time limit. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { ScriptConsole } from '../../browser/child/channel.ts';
import type { SuiteJob } from '../../browser/protocol.ts';

type Env = Readonly<Record<string, string>>;

export interface CommandEnd {
  readonly code: number | null;
  readonly isLate: boolean;
  /** End of stderr, or of stdout if stderr is empty. */
  readonly lastOutput: string;
}

interface CommandRunnerOptions {
  readonly job: Pick<SuiteJob, 'engine' | 'bunProgram' | 'timeoutMs'>;
  readonly folder: string;
  readonly env: Env;
  readonly output: ScriptConsole;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
}

const MAX_OUTPUT_LENGTH = 2000;
/** Time to read the remaining output of an ended command, in ms. */
const READING_MS = 500;
/** Additional time for a command to end before it is stopped, in ms. */
const GRACE_MS = 3000;

/** Returns the last whole lines, because a secret would not be recognised in a part of a line. */
function lastLines(text: string): string {
  if (text.length <= MAX_OUTPUT_LENGTH) return text;
  const from = text.indexOf('\n', text.length - MAX_OUTPUT_LENGTH);
  return from < 0 ? '' : text.slice(from + 1);
}

/** Creates the runner. The time limit of all commands starts with the first one. */
export function createCommandRunner({ job, folder, env, output, kill }: CommandRunnerOptions) {
  const { engine, bunProgram, timeoutMs } = job;
  let beganAt: number | undefined;
  const remainingMs = () => {
    beganAt ??= performance.now();
    return Math.max(1, Math.round(timeoutMs - (performance.now() - beganAt)));
  };
  const programs = bunProgram === null ? [engine.program] : [engine.program, bunProgram];
  const bins = [...programs.map((program) => dirname(program)), join(folder, 'node_modules/.bin')];
  const base = { ...env, PATH: [...bins, env.PATH].join(':') };
  return {
    folder,
    remainingMs,
    run: (command: string, variables: Env = {}): Promise<CommandEnd> =>
      new Promise((resolve) => {
        // A separate process group ends together with the programs that the command started.
        const child = spawn('/bin/sh', ['-c', command], {
          cwd: folder,
          env: { ...base, ...variables },
          detached: true,
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
            // The group has already ended.
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
          // Processes that left the group may keep the pipes open.
          setTimeout(() => {
            child.stdout.destroy();
            child.stderr.destroy();
            end(code);
          }, READING_MS);
        });
      }),
  };
}

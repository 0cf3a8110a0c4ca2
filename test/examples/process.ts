/** Runs one program of a runner and keeps what it writes as one log, as runners do. */
import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

export interface Logged {
  readonly code: number | null;
  readonly log: string;
}

export interface LoggedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stdin holds; nothing where left out. */
  readonly stdin?: string;
}

/** Runs it to its end, or to that of its test. `told` is called with the log each time that it has grown. */
export function runLogged(
  command: string,
  args: readonly string[],
  { cwd, env, stdin = '' }: LoggedOptions,
  told: (log: string, pid: number) => void = () => {},
): Promise<Logged> {
  // A group of its own, so that a test can signal all of it as a terminal or a runner does.
  const child = spawn(command, args, { cwd, env, detached: true });
  onTestFinished(() => {
    if (child.pid && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      told(log, child.pid ?? 0);
    });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, log }));
  });
}

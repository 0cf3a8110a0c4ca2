/** Runs a program to its end, or until its signal aborts. */

import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { onAbort } from '../../base/abort.ts';

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function findProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}

export interface ProgramRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Kills a process group; undefined: the program starts no other programs. */
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
  readonly onLine?: (line: string) => void;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly lines: readonly string[];
}

const MAX_LINES = 200;

/** Resolves when the program has ended. Rejects if it cannot start, or was killed by the signal. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, signal, kill, onLine = () => {} }: ProgramRun,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  // A separate process group ends together with the programs it contains.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) onText(line);
    });
    stream.once('end', () => onText(rest));
  }
  function onText(line: string): void {
    if (line.trim() === '') return;
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    onLine(line);
  }
  const removeListener = onAbort(signal, () => {
    try {
      if (kill === undefined) child.kill('SIGKILL');
      else if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    } catch {
      // The program has already ended.
    }
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    return { code, lines };
  } finally {
    removeListener();
  }
}

/** Runs a program to its end, or until it is no longer wanted. */
import { spawn } from 'node:child_process';

export interface ProgramRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Ends a process group; left out: the program starts no others. */
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
  /** Called with each line that the program writes. */
  readonly onLine?: (line: string) => void;
}

export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly code: number | null;
  /** The last lines that it wrote, on stdout and stderr. */
  readonly lines: readonly string[];
}

const MAX_LINES = 200;

/** Resolves once the program has ended. Rejects if it cannot be started, and, once nothing of it runs any more, with the signal's reason. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, signal, kill, onLine = () => {} }: ProgramRun,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  // A process group of its own: programs that it starts end with it.
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
  const end = () => {
    try {
      if (kill === undefined) child.kill('SIGKILL');
      else if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    return { code, lines };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

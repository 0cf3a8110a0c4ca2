/** Runs a command with its streams and signals passed through, and collects the end of its output. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { onAbort } from '../../../../src/base/abort.ts';
import type { CancelledError } from '../../../../src/base/errors.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { createTail } from './tail.ts';

export interface JobEnd {
  /** The exit code; with a signal, meaningless. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  /** The end of what it wrote. */
  readonly output: string;
  /** Why it could not start, without a full stop. */
  readonly problem?: string;
}

interface JobOptions {
  readonly env: Deps['env'];
  /** Whether to collect its output. Otherwise it gets the streams of this process themselves. */
  readonly capture: boolean;
}

/** Processes that the job left behind may hold its streams open for this long after its end, in ms. */
const STREAMS_GRACE_MS = 2000;

/** The exit codes of a shell for a command that cannot start. */
const START_PROBLEMS: Readonly<Record<string, readonly [exitCode: number, problem: string]>> = {
  ENOENT: [127, 'command not found'],
  EACCES: [126, 'permission denied'],
};

/** Runs the words as a command without a shell. Never rejects. */
export async function runJob(
  { terminal, signal, cwd, clock, self }: Deps,
  [command = '', ...args]: readonly string[],
  { env, capture }: JobOptions,
): Promise<JobEnd> {
  const tail = createTail();
  const child = spawn(command, args, {
    cwd,
    env: { ...env },
    stdio: ['inherit', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
  });
  const pass = (from: Readable | null, to: NodeJS.WritableStream) => {
    if (from === null) return;
    from.on('data', (chunk: Buffer) => {
      tail.add(chunk);
      if (to.write(chunk)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
  };
  pass(child.stdout, terminal.stdout);
  pass(child.stderr, terminal.stderr);
  // As without sonde, the job then gets SIGPIPE.
  void terminal.whenReaderGone.then(() => child.stdout?.destroy());
  const forward = () => {
    const { signal: name } = signal.reason as CancelledError;
    // Ctrl-C reaches the whole group of a terminal.
    if (name !== 'SIGINT' || !terminal.stdin.isTTY) child.kill(name);
  };
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const ended = new Promise<Omit<JobEnd, 'output'>>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      const [exitCode, reason] = START_PROBLEMS[error.code ?? ''] ?? [126, error.code ?? error.message];
      resolve({ exitCode, signal: null, problem: `cannot run ${command}: ${reason}` });
    });
    child.on('exit', (code, name) => resolve({ exitCode: code ?? 0, signal: name }));
  });
  const removeListener = onAbort(signal, forward);
  self.onSecondStop(async () => {
    forward();
    await closed;
  });
  const end = await ended;
  removeListener();
  if (capture && end.problem === undefined) await Promise.race([closed, clock.sleep(STREAMS_GRACE_MS)]);
  return { ...end, output: tail.read() };
}

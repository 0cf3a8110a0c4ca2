/** The processes that scripts run in, as the supervisor makes them and hears them. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Preparation } from '../protocol.ts';
import type { FromExecutor, ToExecutor } from './executor.ts';

export interface Executor {
  readonly process: ChildProcess;
  readonly ready: Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>;
}

export interface Executors {
  /** `rehearses`: there is time for it. */
  make(warmsUp: boolean): Executor;
  /** Told of what executors say beyond being ready, and of what they write. */
  listener: (message: FromExecutor) => void;
  onOutput: (level: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** `proxy`: the only way out of the cell; null: it has the machine's network. */
export function createExecutors(program: string, preparation: Preparation, proxy: string | null): Executors {
  const executors: Executors = {
    listener: () => {},
    onOutput: () => {},
    make(warmsUp) {
      const child = fork(program, ['executor'], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
      child.on('error', () => {});
      const ready = new Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>((resolve) => {
        child.on('message', (message: FromExecutor | null) => {
          if (message === null) return;
          if (message.sonde === 'ready' || message.sonde === 'unready') resolve(message);
          else if (message.sonde !== undefined) executors.listener(message);
          else forwardWorkerOutput(message, executors.onOutput);
        });
        child.once('exit', (code, signal) =>
          resolve({ sonde: 'unready', reason: `its process ended (${signal ?? `exit code ${code}`})` }),
        );
      });
      for (const level of ['stdout', 'stderr'] as const)
        child[level]?.on('data', (chunk: Buffer) => executors.onOutput(level, chunk));
      sendToExecutor(child, { sonde: 'prepare', preparation: { ...preparation, warmsUp }, proxy });
      return { process: child, ready };
    },
  };
  return executors;
}

export const hasEnded = ({ process: { exitCode, signalCode } }: Executor): boolean =>
  exitCode !== null || signalCode !== null;

/** What a worker of Playwright Test says of the script's output. */
function forwardWorkerOutput(message: unknown, onOutput: Executors['onOutput']): void {
  const { method, params } = (message as { params?: Partial<WorkerOutput> }).params ?? {};
  if (method !== 'stdOut' && method !== 'stdErr') return;
  const { text, buffer } = params ?? {};
  onOutput(
    method === 'stdOut' ? 'stdout' : 'stderr',
    buffer === undefined ? Buffer.from(text ?? '') : Buffer.from(buffer, 'base64'),
  );
}
interface WorkerOutput {
  readonly method: string;
  readonly params: { readonly text?: string; readonly buffer?: string };
}

export function sendToExecutor(child: ChildProcess, message: ToExecutor): void {
  // Where it is gone, its end is told elsewhere.
  if (child.connected) child.send(message, () => {});
}

/** Starts the executor processes of the supervisor and receives their messages. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Preparation } from '../protocol.ts';
import type { FromExecutor, ToExecutor } from './executor.ts';

export interface Executor {
  readonly process: ChildProcess;
  readonly ready: Promise<Extract<FromExecutor, { sonde: 'ready' | 'unready' }>>;
}

export interface Executors {
  /** Starts an executor. `warmsUp`: there is time for a warm-up. */
  make(warmsUp: boolean): Executor;
  /** Handles messages after `ready`; `onOutput` handles output. */
  listener: (message: FromExecutor) => void;
  onOutput: (level: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** Creates the executors. `proxy`: the only way out of the cell; null: the cell has the machine's network. */
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

/** Forwards the script's output from a message of a Playwright Test worker. */
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
  // The end of a disconnected executor is reported elsewhere.
  if (child.connected) child.send(message, () => {});
}

/** Starts the program in a cell, prepares it, sends it one job, and validates its messages. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { countOomKills } from '../../sandbox/cell/procfs.ts';
import type { Cell } from '../../sandbox/index.ts';
import type { Artifact, RunFiles } from '../core/runner.ts';
import { createArtifactReceiver } from './artifact-receiver.ts';
import {
  type BrowserJob,
  type ConsoleLine,
  LIMITS,
  type ProgramMessage,
  type ScriptReport,
} from './protocol.ts';
import { type ChannelListener, readChannel } from './read-channel.ts';

/** Time limit for a browser to become ready, in ms. */
const READY_MS = 120_000;
const MAX_STDERR_LENGTH = 2000;
/** Time to read the last messages of an ended program, in ms. Another process may keep the pipe open for ever. */
const LAST_MESSAGES_MS = 5000;

export interface Program<Job extends object = BrowserJob> {
  readonly browser: string;
  readonly sandboxed: boolean;
  isAlive(): boolean;
  /** Sends the program its one job. Resolves when the job or its time ends; rejects if the signal aborts. */
  run(job: Job, maxMs: number, signal: AbortSignal, files?: RunFiles): Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** Undefined if the program sent no report. */
  readonly report: ScriptReport | undefined;
  readonly why: 'late' | 'ended' | 'too-much' | undefined;
  readonly ending: string;
  /** The signal that ended the process, if neither sonde nor the kernel (out of memory) sent it. */
  readonly killedBy?: string | undefined;
  readonly console: readonly ConsoleLine[];
  readonly artifacts: readonly Artifact[];
  /** Why files were not stored, one sentence each. */
  readonly lost: readonly string[];
}

/** No browser could be started. The message says why. */
export class NoBrowser extends Error {
  constructor(reason: string) {
    super(`no browser could be started: ${reason}`);
    this.name = 'NoBrowser';
  }
}

/** Starts the program and waits until it is ready. `argv`: Node and the program. Throws NoBrowser. */
export async function startProgram<Job extends object, Preparation extends { readonly folder: string }>(
  cell: Cell,
  argv: readonly [string, ...string[]],
  preparation: Omit<Preparation, 'folder'>,
): Promise<Program<Job>> {
  const child = cell.spawn(argv, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
  let listener = IDLE;
  let ending: string | undefined;
  let endedBy: string | undefined;
  let stderr = '';
  child.stdin?.on('error', () => {});
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MAX_STDERR_LENGTH);
  });
  const reports = child.stdio[3] as Readable;
  const reportsClosed = new Promise<void>((resolve) => {
    reports.once('close', resolve);
  });
  readChannel(reports, {
    onMessage: (message) => listener.onMessage(message),
    onPart: (bytes) => listener.onPart(bytes),
    onOverflow: () => listener.onOverflow(),
  });
  child.once('error', (error) => setEnded(error.message));
  child.once('exit', (code, signal) => {
    endedBy = signal ?? undefined;
    // The last messages may still be in the pipe.
    void Promise.race([reportsClosed, new Promise((resolve) => setTimeout(resolve, LAST_MESSAGES_MS))]).then(
      () => setEnded(`${signal ?? `exit code ${code}`}${findErrorLine(stderr)}`),
    );
  });

  function setEnded(description: string): void {
    ending ??= description;
    listener.onEnd(ending);
  }

  writeMessage(child, { ...preparation, folder: cell.folder });
  const ready = await new Promise<Extract<ProgramMessage, { type: 'ready' }>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoBrowser('it did not become ready in time')), READY_MS);
    listener = {
      ...IDLE,
      onEnd: (description) => reject(new NoBrowser(description)),
      onMessage(message) {
        if (message.type === 'ready') resolve(message);
        if (message.type === 'unready') reject(new NoBrowser(message.reason));
        clearTimeout(timer);
      },
    };
  });

  return {
    browser: ready.browser,
    sandboxed: ready.sandboxed,
    isAlive: () => ending === undefined,
    run: (job, maxMs, signal, files) =>
      new Promise<ProgramEnd>((resolve, reject) => {
        const lines: ConsoleLine[] = [];
        const killsBefore = countOomKills();
        const receiver = createArtifactReceiver(files, reports);
        const stopListening = () => {
          clearTimeout(timer);
          listener = IDLE;
        };
        const finish = (report: ScriptReport | undefined, why: ProgramEnd['why']) => {
          stopListening();
          void receiver.settle().then(({ artifacts, lost }) => {
            signal.removeEventListener('abort', onAbort);
            resolve({
              report,
              why,
              ending: ending ?? 'it is still running',
              killedBy: countOomKills() > killsBefore ? undefined : endedBy,
              console: lines,
              artifacts,
              lost: [...(report?.lost ?? []), ...lost],
            });
          });
        };
        const onAbort = () => {
          stopListening();
          reject(signal.reason);
        };
        const timer = setTimeout(() => finish(undefined, 'late'), maxMs);
        listener = {
          onEnd: () => finish(undefined, 'ended'),
          onOverflow: () => finish(undefined, 'too-much'),
          onPart: receiver.part,
          onMessage(message) {
            if (message.type === 'over') finish(message.report, undefined);
            if (message.type === 'console' && lines.length < LIMITS.consoleLines) lines.push(message.line);
            if (message.type === 'artifact') receiver.begin(message);
            if (message.type === 'artifact-end') receiver.end(message.isWhole);
          },
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        if (ending !== undefined) finish(undefined, 'ended');
        else writeMessage(child, job);
        return undefined;
      }),
  };
}

const IDLE: ChannelListener & { readonly onEnd: (ending: string) => void } = {
  onMessage: () => {},
  onPart: () => {},
  onOverflow: () => {},
  onEnd: () => {},
};

function findErrorLine(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const line = lines.findLast((one) => /error/i.test(one)) ?? lines.at(-1);
  return line ? `: ${line.trim()}` : '';
}

function writeMessage(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify(message)}\n`);
}

/** The child program as the runner speaks with it: started in a cell, prepared, given one job, and listened to with distrust. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Cell } from '../../sandbox/index.ts';
import type { Artifact, RunFiles } from '../types.ts';
import { readTelling } from './read-channel.ts';
import { outOfMemoryKills } from './count-oom-kills.ts';
import { BOUNDS, type BrowserJob, type ConsoleLine, type ScriptReport, type Told } from './protocol.ts';
import { createReceiver, type Receiver } from './artifact-receiver.ts';

/** How long a browser may take to get ready, in ms. */
const READY_MS = 120_000;
const LONGEST_STDERR = 2000;
/** How long a program that has ended may still be heard, in ms: somebody may hold its end of the pipe for ever. */
const LAST_WORDS_MS = 5000;

export interface Program<Job extends object = BrowserJob> {
  readonly browser: string;
  /** Whether Chromium's own sandbox is on. */
  readonly sandboxed: boolean;
  isAlive(): boolean;
  /**
   * Gives it its one job. Resolves when it is over, has taken too long, or has ended; rejects where the signal aborts. `files`: where what it
   * leaves is put.
   */
  run(job: Job, mostMs: number, signal: AbortSignal, files?: RunFiles): Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** Undefined where it never came to a report. */
  readonly report: ScriptReport | undefined;
  /** Why there is no report. */
  readonly why: 'late' | 'ended' | 'too-much' | undefined;
  /** How its process ended, in words; where it has. */
  readonly ending: string;
  /** The signal that ended its process, and that nobody here sent: not the kernel for want of memory either. */
  readonly killedBy?: string | undefined;
  readonly console: readonly ConsoleLine[];
  readonly artifacts: readonly Artifact[];
  /** Why files were not kept, a sentence each. */
  readonly lost: readonly string[];
}

/** There is no browser to be had, and why. */
export class NoBrowser extends Error {
  constructor(reason: string) {
    super(`no browser could be started: ${reason}`);
    this.name = 'NoBrowser';
  }
}

/** Starts the program and waits until it is ready. `argv`: Node and the program, which gets the cell's folder as well. @throws NoBrowser */
export async function startProgram<Job extends object, Preparation extends { readonly folder: string }>(
  cell: Cell,
  argv: readonly [string, ...string[]],
  preparation: Omit<Preparation, 'folder'>,
): Promise<Program<Job>> {
  const child = cell.spawn(argv, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
  const listener: Hearing = { hear: () => {}, end: () => {}, flood: () => {}, files: undefined };
  let ending: string | undefined;
  let endedBy: string | undefined;
  let stderr = '';
  child.stdin?.on('error', () => {});
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-LONGEST_STDERR);
  });
  const reports = child.stdio[3] as Readable;
  const isHeard = new Promise<void>((resolve) => {
    reports.once('close', resolve);
  });
  readTelling(reports, {
    onTold: (told) => listener.hear(told),
    onPart: (bytes) => listener.files?.part(bytes),
    onFlood: () => listener.flood(),
  });
  child.once('error', (error) => ended(error.message));
  child.once('exit', (code, signal) => {
    endedBy = signal ?? undefined;
    // What it said last may still be on its way.
    void Promise.race([isHeard, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]).then(() =>
      ended(`${signal ?? `exit code ${code}`}${lastWords(stderr)}`),
    );
  });

  function ended(how: string): void {
    ending ??= how;
    listener.end(ending);
  }

  say(child, { ...preparation, folder: cell.folder });
  const ready = await new Promise<Extract<Told, { type: 'ready' }>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoBrowser('it did not become ready in time')), READY_MS);
    listener.end = (how) => reject(new NoBrowser(how));
    listener.hear = (told) => {
      if (told.type === 'ready') resolve(told);
      if (told.type === 'unready') reject(new NoBrowser(told.reason));
      clearTimeout(timer);
    };
  });

  return {
    browser: ready.browser,
    sandboxed: ready.sandboxed,
    isAlive: () => ending === undefined,
    run: (job, mostMs, signal, files) =>
      new Promise<ProgramEnd>((resolve, reject) => {
        const lines: ConsoleLine[] = [];
        const killsBefore = outOfMemoryKills();
        const receiver = createReceiver(files, reports);
        const stopHearing = () => {
          clearTimeout(timer);
          Object.assign(listener, { hear: () => {}, end: () => {}, flood: () => {}, files: undefined });
        };
        const over = (report: ScriptReport | undefined, why: ProgramEnd['why']) => {
          stopHearing();
          void receiver.settled().then(({ artifacts, lost }) => {
            signal.removeEventListener('abort', onAbort);
            const told = [...(report?.lost ?? []), ...lost];
            resolve({
              report,
              why,
              ending: ending ?? 'it is still running',
              killedBy: outOfMemoryKills() > killsBefore ? undefined : endedBy,
              console: lines,
              artifacts,
              lost: told,
            });
          });
        };
        const onAbort = () => {
          stopHearing();
          reject(signal.reason);
        };
        const timer = setTimeout(() => over(undefined, 'late'), mostMs);
        listener.end = () => over(undefined, 'ended');
        listener.flood = () => over(undefined, 'too-much');
        listener.files = receiver;
        listener.hear = (told) => {
          if (told.type === 'over') over(told.report, undefined);
          if (told.type === 'console' && lines.length < BOUNDS.consoleLines) lines.push(told.line);
          if (told.type === 'artifact') receiver.begin(told);
          if (told.type === 'artifact-end') receiver.end(told.isWhole);
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        if (ending !== undefined) over(undefined, 'ended');
        else say(child, job);
        return undefined;
      }),
  };
}

/** Who hears what a program says, as it is now. */
interface Hearing {
  hear: (told: Told) => void;
  end: (ending: string) => void;
  flood: () => void;
  files: Receiver | undefined;
}

/** Of what a program wrote to stderr the line that names an error, or the last. */
function lastWords(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const line = lines.findLast((one) => /error/i.test(one)) ?? lines.at(-1);
  return line ? `: ${line.trim()}` : '';
}

function say(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify(message)}\n`);
}

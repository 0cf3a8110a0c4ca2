/** The child program as the runner speaks with it: started in a cell, prepared, given one job, and listened to with distrust. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Cell } from '../../sandbox/index.ts';
import type { Artifact } from '../types.ts';
import {
  BOUNDS,
  type BrowserJob,
  type ConsoleLine,
  LONGEST_LINE,
  type ScriptReport,
  type Told,
} from './protocol.ts';
import { readTold } from './read-told.ts';

/** How long a browser may take to get ready, in ms. */
const READY_MS = 60_000;
const LONGEST_STDERR = 2000;
/** How long a program that has ended may still be heard, in ms: somebody may hold its end of the pipe for ever. */
const LAST_WORDS_MS = 5000;
/** All that a program may say in one run. */
const MOST_BYTES = LONGEST_LINE * 4;
const MOST_LINES = 10_000;
/** Lists and objects take many times the memory of the text that they are read from; those of a report are not so many. */
const MOST_PARTS = 200_000;

export interface Program<Job extends object = BrowserJob> {
  readonly browser: string;
  /** Whether Chromium's own sandbox is on. */
  readonly sandboxed: boolean;
  isAlive(): boolean;
  /** Gives it its one job. Resolves when it is over, has taken too long, or has ended; rejects where the signal aborts. */
  run(job: Job, mostMs: number, signal: AbortSignal): Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** Undefined where it never came to a report. */
  readonly report: ScriptReport | undefined;
  /** Why there is no report. */
  readonly why: 'late' | 'ended' | 'too-much' | undefined;
  /** How its process ended, in words; where it has. */
  readonly ending: string;
  readonly console: readonly ConsoleLine[];
  readonly artifacts: readonly Artifact[];
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
  const listener: { hear: (told: Told) => void; end: (ending: string) => void; flood: () => void } = {
    hear: () => {},
    end: () => {},
    flood: () => {},
  };
  let ending: string | undefined;
  let stderr = '';
  child.stdin?.on('error', () => {});
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-LONGEST_STDERR);
  });
  const reports = child.stdio[3] as Readable;
  const isHeard = new Promise<void>((resolve) => {
    reports.once('close', resolve);
  });
  readLines(reports, { onLine: (line) => hear(line), onFlood: () => listener.flood() });
  child.once('error', (error) => ended(error.message));
  child.once('exit', (code, signal) => {
    // What it said last may still be on its way.
    void Promise.race([isHeard, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]).then(() =>
      ended(`${signal ?? `exit code ${code}`}${lastWords(stderr)}`),
    );
  });

  function hear(line: string): void {
    const told = readTold(line);
    if (told) listener.hear(told);
  }
  function ended(how: string): void {
    ending ??= how;
    listener.end(ending);
  }

  say(child, { ...preparation, folder: cell.folder });
  const ready = await new Promise<Extract<Told, { type: 'ready' }>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoBrowser('it did not get ready in time')), READY_MS);
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
    run: (job, mostMs, signal) =>
      new Promise<ProgramEnd>((resolve, reject) => {
        const lines: ConsoleLine[] = [];
        const artifacts: Artifact[] = [];
        let bytes = 0;
        const over = (report: ScriptReport | undefined, why: ProgramEnd['why']) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          resolve({ report, why, ending: ending ?? 'it still runs', console: lines, artifacts });
        };
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        const timer = setTimeout(() => over(undefined, 'late'), mostMs);
        listener.end = () => over(undefined, 'ended');
        listener.flood = () => over(undefined, 'too-much');
        listener.hear = (told) => {
          if (told.type === 'over') over(told.report, undefined);
          if (told.type === 'console' && lines.length < BOUNDS.consoleLines) lines.push(told.line);
          if (told.type !== 'artifact') return;
          const { kind, name, contentType, base64 } = told;
          const contents = Buffer.from(base64, 'base64');
          bytes += contents.length;
          if (bytes <= BOUNDS.artifactBytes && artifacts.length < BOUNDS.screenshots + BOUNDS.traces)
            artifacts.push({ kind, name, contentType, contents });
        };
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        if (ending !== undefined) over(undefined, 'ended');
        else say(child, job);
        return undefined;
      }),
  };
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

interface LineListener {
  readonly onLine: (line: string) => void;
  /** It says more than anything that is worth keeping. */
  readonly onFlood: () => void;
}

function readLines(stream: Readable, { onLine, onFlood }: LineListener): void {
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  let lines = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    total += chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(parts);
      lines += 1;
      if (lines > MOST_LINES || partsOf(line) > MOST_PARTS) return flood();
      onLine(line.toString('utf8'));
      parts = [];
      length = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST_LINE || total > MOST_BYTES) flood();
  });
  function flood(): void {
    stream.destroy();
    onFlood();
  }
}

/** How many lists, objects and their members a line may hold at most. */
function partsOf(line: Buffer): number {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}

/** How a program in a cell hears what it is to do and tells what happens: lines of JSON, and the console without secrets. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { MARK } from '../../../sandbox/environment.ts';
import { BOUNDS, type BrowserJob, type ConsoleLine, LONGEST_PART, type Told } from '../protocol.ts';
import { lineReader } from './page-console.ts';

/** Descriptor that reports go to: what a script writes to stdout is not among them. */
const REPORTS = 3;
/** The share of the time for evidence that is used: the rest is for what is said at the end. */
const PUNCTUALITY = 0.75;
/** What the environment of a script has whatever the check says. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'LANG', MARK];

export interface Channel {
  /** The next message; the process ends where there is none. */
  next<Message>(): Promise<Message>;
  tell(told: Told): void;
  /** A part of the file that was begun. */
  send(part: Uint8Array): void;
  /** Ends the process when whoever asked has gone. */
  leaveWithReader(): void;
}

/** Messages come over stdin, one a line. */
export function channelOf(host: NodeJS.Process): Channel {
  const lines = createInterface({ input: host.stdin })[Symbol.asyncIterator]();
  return {
    async next<Message>() {
      const { value, done } = await lines.next();
      // Nobody is there any more.
      if (done) host.exit(0);
      return JSON.parse(value as string) as Message;
    },
    tell: (told) => writeAll(REPORTS, Buffer.from(line(told))),
    send(part) {
      for (let from = 0; from < part.length; from += LONGEST_PART) {
        const bytes = part.subarray(from, from + LONGEST_PART);
        writeAll(REPORTS, Buffer.from(line({ type: 'part', bytes: bytes.length })));
        writeAll(REPORTS, bytes);
      }
    },
    leaveWithReader() {
      const leave = host.exit.bind(host, 0);
      void lines.next().then(leave);
    },
  };
}

const line = (told: Told): string => `${JSON.stringify(told)}\n`;

/** When who gave this job now no longer waits for what it leaves, a little before, by `performance.now()`. */
export const lastMoment = ({ timeoutMs, evidenceMs }: Pick<BrowserJob, 'timeoutMs' | 'evidenceMs'>): number =>
  performance.now() + timeoutMs + evidenceMs * PUNCTUALITY;

export const keptOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(KEPT.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));

export interface Heard {
  say(line: Omit<ConsoleLine, 'atMs'>): void;
  /** What was written to one of the two streams. */
  write(level: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Tells what has no end of line yet. */
  end(): void;
  /** How many lines were too many. */
  dropped(): number;
  elapsedMs(): number;
}

/** The console of a run that begins now. */
export function consoleOf(tell: Channel['tell'], scrub: <Value>(value: Value) => Value): Heard {
  const beganAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - beganAt);
  let lines = 0;
  const say = (line: Omit<ConsoleLine, 'atMs'>) => {
    if (++lines > BOUNDS.consoleLines) return;
    const text = scrub(line.text).slice(0, BOUNDS.lineLength);
    tell({ type: 'console', line: { ...scrub(line), text, atMs: elapsedMs() } });
  };
  const readers = {
    stdout: lineReader((text) => say({ from: 'script', level: 'stdout', text })),
    stderr: lineReader((text) => say({ from: 'script', level: 'stderr', text })),
  };
  return {
    say,
    write: (level, chunk) => readers[level].write(chunk),
    end() {
      for (const reader of Object.values(readers)) reader.end();
    },
    dropped: () => Math.max(0, lines - BOUNDS.consoleLines),
    elapsedMs,
  };
}

/** What is looked through for secrets beyond what is kept of a message: of one that is cut nothing would be found. */
const BEYOND_KEPT = 64 * 1024;

/** Messages as they are told: so many, each so long, and no part of a secret in what is cut. */
export function bounded(errors: readonly string[], scrub: (text: string) => string): string[] {
  const most = BOUNDS.errorLength;
  return errors
    .slice(0, BOUNDS.errors)
    .map((error) => scrub(error.slice(0, most + BEYOND_KEPT)).slice(0, most));
}

/** Whole, also where the reader is slow: the descriptor may be a pipe that does not block. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

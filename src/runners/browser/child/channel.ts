/** How a program in a cell hears what it is to do and tells what happens: lines of JSON, and the console without secrets. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CELL_VARIABLE } from '../../../sandbox/environment.ts';
import {
  type BrowserJob,
  type ConsoleLine,
  LIMITS,
  MAX_PART_BYTES,
  type ProgramMessage,
} from '../protocol.ts';
import { createLineReader } from './page-console.ts';

/** Descriptor that reports go to: what a script writes to stdout is not among them. */
const REPORTS_FD = 3;
/** The share of the time for evidence that is used: the rest is for what is said at the end. */
const ARTIFACTS_TIME_SHARE = 0.75;
/** What the environment of a script has whatever the check says. */
const BASE_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG', CELL_VARIABLE];

export interface Channel {
  /** The next message; the process ends where there is none. */
  next<Message>(): Promise<Message>;
  send(message: ProgramMessage): void;
  /** A part of the file that was begun. */
  sendPart(part: Uint8Array): void;
  /** Ends the process when whoever asked has gone. */
  exitWithReader(): void;
}

/** Messages come over stdin, one a line. */
export function openChannel(host: NodeJS.Process): Channel {
  const lines = createInterface({ input: host.stdin })[Symbol.asyncIterator]();
  return {
    async next<Message>() {
      const { value, done } = await lines.next();
      // Nobody is there any more.
      if (done) host.exit(0);
      return JSON.parse(value as string) as Message;
    },
    send: (message) => writeAll(REPORTS_FD, Buffer.from(toLine(message))),
    sendPart(part) {
      for (let from = 0; from < part.length; from += MAX_PART_BYTES) {
        const bytes = part.subarray(from, from + MAX_PART_BYTES);
        writeAll(REPORTS_FD, Buffer.from(toLine({ type: 'part', bytes: bytes.length })));
        writeAll(REPORTS_FD, bytes);
      }
    },
    exitWithReader() {
      const exit = host.exit.bind(host, 0);
      void lines.next().then(exit);
    },
  };
}

const toLine = (message: ProgramMessage): string => `${JSON.stringify(message)}\n`;

/** When who gave this job now no longer waits for what it leaves, a little before, by `performance.now()`. */
export const artifactsDeadline = ({
  timeoutMs,
  artifactsMs,
}: Pick<BrowserJob, 'timeoutMs' | 'artifactsMs'>): number =>
  performance.now() + timeoutMs + artifactsMs * ARTIFACTS_TIME_SHARE;

export const baseEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(BASE_VARIABLES.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));

export interface ScriptConsole {
  log(line: Omit<ConsoleLine, 'atMs'>): void;
  /** What was written to one of the two streams. */
  write(level: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Tells what has no end of line yet. */
  end(): void;
  /** How many lines were too many. */
  countDropped(): number;
  elapsedMs(): number;
}

/** The console of a run that begins now. */
export function createConsole(send: Channel['send'], scrub: <Value>(value: Value) => Value): ScriptConsole {
  const beganAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - beganAt);
  let lines = 0;
  const log = (line: Omit<ConsoleLine, 'atMs'>) => {
    if (++lines > LIMITS.consoleLines) return;
    const text = scrub(line.text).slice(0, LIMITS.lineLength);
    send({ type: 'console', line: { ...scrub(line), text, atMs: elapsedMs() } });
  };
  const readers = {
    stdout: createLineReader((text) => log({ from: 'script', level: 'stdout', text })),
    stderr: createLineReader((text) => log({ from: 'script', level: 'stderr', text })),
  };
  return {
    log,
    write: (level, chunk) => readers[level].write(chunk),
    end() {
      for (const reader of Object.values(readers)) reader.end();
    },
    countDropped: () => Math.max(0, lines - LIMITS.consoleLines),
    elapsedMs,
  };
}

/** What is looked through for secrets beyond what is kept of a message: of one that is cut nothing would be found. */
const SCRUB_MARGIN = 64 * 1024;

/** Messages as they are told: so many, each so long, and no part of a secret in what is cut. */
export function limitErrors(errors: readonly string[], scrub: (text: string) => string): string[] {
  const maxLength = LIMITS.errorLength;
  return errors
    .slice(0, LIMITS.errors)
    .map((error) => scrub(error.slice(0, maxLength + SCRUB_MARGIN)).slice(0, maxLength));
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

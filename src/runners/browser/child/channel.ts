/** Connects a program in a cell with its runner, and forwards the console without secrets. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CELL_VARIABLE } from '../../../sandbox/cell/launch.ts';
import {
  type BrowserJob,
  type ConsoleLine,
  LIMITS,
  MAX_PART_BYTES,
  type ProgramMessage,
} from '../protocol.ts';

const REPORTS_FD = 3;
/** Share of the time for artifacts that is used. The rest is for the final report. */
const ARTIFACTS_TIME_SHARE = 0.75;
const BASE_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG', CELL_VARIABLE];

export interface Channel {
  next<Message>(): Promise<Message>;
  send(message: ProgramMessage): void;
  sendPart(part: Uint8Array): void;
  exitWithReader(): void;
}

export function openChannel(host: NodeJS.Process): Channel {
  const lines = createInterface({ input: host.stdin })[Symbol.asyncIterator]();
  return {
    async next<Message>() {
      const { value, done } = await lines.next();
      // The runner has ended.
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

/** Returns the time for the end of artifacts, by `performance.now()`: before the runner stops waiting. */
export const artifactsDeadline = ({
  timeoutMs,
  artifactsMs,
}: Pick<BrowserJob, 'timeoutMs' | 'artifactsMs'>): number =>
  performance.now() + timeoutMs + artifactsMs * ARTIFACTS_TIME_SHARE;

export const baseEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(BASE_VARIABLES.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));

export type ScriptConsole = ReturnType<typeof createConsole>;

function createLineReader(onLine: (text: string) => void) {
  let rest = '';
  return {
    write(chunk: Buffer): void {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      // Split a line without an end, to limit memory.
      if (rest.length > 4 * LIMITS.lineLength) {
        lines.push(rest);
        rest = '';
      }
      for (const line of lines) onLine(line.replace(/\r$/, ''));
    },
    end(): void {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}

export function createConsole(send: Channel['send'], scrub: <Value>(value: Value) => Value) {
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
    write: (level: 'stdout' | 'stderr', chunk: Buffer): void => readers[level].write(chunk),
    end(): void {
      readers.stdout.end();
      readers.stderr.end();
    },
    countDropped: () => Math.max(0, lines - LIMITS.consoleLines),
    elapsedMs,
  };
}

/** Text beyond a message's limit that is still masked, because a cut secret would not be recognised. */
const SCRUB_MARGIN = 64 * 1024;

/** Returns a limited number of shortened messages. A cut never leaves a part of a secret. */
export function limitErrors(errors: readonly string[], scrub: (text: string) => string): string[] {
  const maxLength = LIMITS.errorLength;
  return errors
    .slice(0, LIMITS.errors)
    .map((error) => scrub(error.slice(0, maxLength + SCRUB_MARGIN)).slice(0, maxLength));
}

/** Writes all bytes, even if the reader is slow and the descriptor is a non-blocking pipe. */
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

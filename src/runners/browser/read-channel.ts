/** Reads the messages of a program in a cell: lines of JSON, with unbuffered file parts between them. */
import type { Readable } from 'node:stream';
import type { DetectedSecret } from '../masking/secret-detector.ts';
import {
  type ArtifactKind,
  type ConsoleLine,
  type Counts,
  LIMITS,
  MAX_LINE_BYTES,
  MAX_PART_BYTES,
  type ProgramMessage,
  type ScriptReport,
  type ScriptState,
  type TestReport,
} from './protocol.ts';

export interface ChannelListener {
  readonly onMessage: (message: Exclude<ProgramMessage, { type: 'part' }>) => void;
  readonly onPart: (bytes: Buffer) => void;
  readonly onOverflow: () => void;
}

const MAX_TEXT_BYTES = MAX_LINE_BYTES * 4;
const MAX_LINES = 10_000;
/** Limits the values of a line, because parsed lists and objects take much more memory than their text. */
const MAX_VALUES = 200_000;
/** Maximum size of all files, including discarded ones. */
const MAX_FILE_BYTES = LIMITS.runBytes * 2;

export function readChannel(stream: Readable, { onMessage, onPart, onOverflow }: ChannelListener): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let textBytes = 0;
  let lines = 0;
  let fileBytes = 0;
  let partBytesLeft = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const next = partBytesLeft > 0 ? readPart(chunk, from) : readText(chunk, from);
      if (next === undefined) {
        stream.destroy();
        return onOverflow();
      }
      from = next;
    }
  });

  function readPart(chunk: Buffer, from: number): number | undefined {
    const to = Math.min(chunk.length, from + partBytesLeft);
    partBytesLeft -= to - from;
    fileBytes += to - from;
    if (fileBytes > MAX_FILE_BYTES) return undefined;
    onPart(chunk.subarray(from, to));
    return to;
  }

  function readText(chunk: Buffer, from: number): number | undefined {
    const at = chunk.indexOf(10, from);
    const to = at < 0 ? chunk.length : at;
    pieces.push(chunk.subarray(from, to));
    length += to - from;
    textBytes += to - from + 1;
    if (length > MAX_LINE_BYTES || textBytes > MAX_TEXT_BYTES) return undefined;
    if (at < 0) return to;
    const line = Buffer.concat(pieces);
    pieces = [];
    length = 0;
    lines += 1;
    if (lines > MAX_LINES || countValues(line) > MAX_VALUES) return undefined;
    const message = parseMessage(line.toString('utf8'));
    if (message?.type === 'part') {
      partBytesLeft = message.bytes;
      // A trace has many small parts, which are limited by bytes instead.
      lines -= 1;
    } else if (message) onMessage(message);
    return partBytesLeft > MAX_PART_BYTES ? undefined : at + 1;
  }
}

/** Returns an upper bound of the lists, objects and members in a line. */
function countValues(line: Buffer): number {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count += 1;
  }
  return count;
}

type JsonObject = Readonly<Record<string, unknown>>;

const CONTENT_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/zip']);
const MAX_SECRET_KINDS = 20;
const MAX_REASON_LENGTH = 500;

export function parseMessage(line: string): ProgramMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const message = toObject(value);
  switch (message.type) {
    case 'ready':
      return { type: 'ready', browser: text(message.browser, 100), sandboxed: message.sandboxed === true };
    case 'unready':
      return { type: 'unready', reason: text(message.reason, 1000) };
    case 'console':
      return { type: 'console', line: parseConsoleLine(toObject(message.line)) };
    case 'artifact':
      return parseArtifact(message);
    case 'part':
      return Number.isInteger(message.bytes) && count(message.bytes) > 0
        ? { type: 'part', bytes: count(message.bytes) }
        : undefined;
    case 'artifact-end':
      return { type: 'artifact-end', isWhole: message.isWhole === true };
    case 'over':
      return { type: 'over', report: parseReport(toObject(message.report)) };
    default:
      return undefined;
  }
}

function parseArtifact(message: JsonObject): ProgramMessage | undefined {
  const { kind, name, contentType } = message;
  if (kind !== 'screenshot' && kind !== 'trace') return undefined;
  const isKnown = typeof contentType === 'string' && CONTENT_TYPES.has(contentType);
  if (!isKnown) return undefined;
  const plain = text(name, 100).replace(/[^\w.-]+/g, '-');
  return { type: 'artifact', kind: kind satisfies ArtifactKind, name: plain || kind, contentType };
}

function parseConsoleLine({ from, level, text: content, atMs, location }: JsonObject): ConsoleLine {
  return {
    from: from === 'page' || from === 'page-error' ? from : 'script',
    level: text(level, 20),
    text: text(content, LIMITS.lineLength),
    atMs: count(atMs),
    ...(typeof location === 'string' ? { location: text(location, 500) } : {}),
  };
}

function parseReport(report: JsonObject): ScriptReport {
  const { outcome, kind, errors, tests, counts, detected, handed, durationMs, dropped, lost, notes } = report;
  const { lines, artifacts } = toObject(dropped);
  return {
    outcome: oneOf(outcome, ['passed', 'failed', 'timed-out', 'unusable', 'fault'], 'fault'),
    ...(kind === undefined ? {} : { kind: oneOf(kind, ['test', 'script'], 'script') }),
    errors: texts(errors),
    tests: (Array.isArray(tests) ? tests : [])
      .slice(0, LIMITS.tests)
      .map((test) => parseTest(toObject(test))),
    ...(counts === undefined ? {} : { counts: parseCounts(toObject(counts)) }),
    ...(handed === undefined ? {} : { handed: parseScriptState(toObject(handed)) }),
    ...(Array.isArray(detected)
      ? { detected: detected.slice(0, MAX_SECRET_KINDS).map((one) => parseDetectedSecret(toObject(one))) }
      : {}),
    durationMs: count(durationMs),
    dropped: { lines: count(lines), artifacts: count(artifacts) },
    ...(Array.isArray(lost) ? { lost: texts(lost).map((one) => one.slice(0, MAX_REASON_LENGTH)) } : {}),
    ...(Array.isArray(notes) ? { notes: texts(notes).map((one) => one.slice(0, MAX_REASON_LENGTH)) } : {}),
  };
}

/** Returns the state without further validation, because its consumers read only known fields. */
function parseScriptState({ globals, variables }: JsonObject): ScriptState {
  const set = Object.entries(toObject(variables)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { globals: toObject(globals), variables: Object.fromEntries(set) };
}

const parseDetectedSecret = ({ kind, count: times }: JsonObject): DetectedSecret => ({
  kind: text(kind, 50),
  count: count(times),
});

function parseCounts({ passed, failed, flaky, skipped }: JsonObject): Counts {
  return { passed: count(passed), failed: count(failed), flaky: count(flaky), skipped: count(skipped) };
}

function parseTest({ title, status, isFlaky, durationMs, errors }: JsonObject): TestReport {
  return {
    title: text(title, 500),
    status: oneOf(status, ['passed', 'failed', 'timed-out', 'skipped'], 'failed'),
    ...(isFlaky === true ? { isFlaky } : {}),
    durationMs: count(durationMs),
    errors: texts(errors),
  };
}

const toObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};
const text = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? value.slice(0, maxLength) : '';
const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).slice(0, LIMITS.errors).map((one) => text(one, LIMITS.errorLength));
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
function oneOf<T extends string>(value: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.find((one) => one === value) ?? fallback;
}

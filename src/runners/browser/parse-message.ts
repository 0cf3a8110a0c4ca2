/** Parses messages from a cell. A script may have written them, so invalid values are dropped. */
import type { DetectedSecret } from '../secret-detector.ts';
import {
  type ArtifactKind,
  type ConsoleLine,
  type Counts,
  LIMITS,
  type ProgramMessage,
  type ScriptReport,
  type ScriptState,
  type TestReport,
} from './protocol.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const CONTENT_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/zip']);
const MAX_TESTS = 200;
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
  const { outcome, errors, tests, counts, detected, handed, durationMs, dropped, lost } = report;
  const { lines, artifacts } = toObject(dropped);
  return {
    outcome: oneOf(outcome, ['passed', 'failed', 'timed-out', 'unusable', 'fault'], 'fault'),
    errors: texts(errors),
    tests: (Array.isArray(tests) ? tests : []).slice(0, MAX_TESTS).map((test) => parseTest(toObject(test))),
    ...(counts === undefined ? {} : { counts: parseCounts(toObject(counts)) }),
    ...(handed === undefined ? {} : { handed: parseScriptState(toObject(handed)) }),
    ...(Array.isArray(detected)
      ? { detected: detected.slice(0, MAX_SECRET_KINDS).map((one) => parseDetectedSecret(toObject(one))) }
      : {}),
    durationMs: count(durationMs),
    dropped: { lines: count(lines), artifacts: count(artifacts) },
    ...(Array.isArray(lost) ? { lost: texts(lost).map((one) => one.slice(0, MAX_REASON_LENGTH)) } : {}),
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

function parseTest({ title, status, durationMs, errors }: JsonObject): TestReport {
  return {
    title: text(title, 500),
    status: oneOf(status, ['passed', 'failed', 'timed-out', 'skipped'], 'failed'),
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

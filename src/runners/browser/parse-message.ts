/** Reads what comes out of a cell. A script may have written it: what is not as it should be is as good as not said. */
import type { DetectedSecret } from '../secret-detector.ts';
import {
  type ArtifactKind,
  BOUNDS,
  type ConsoleLine,
  type Counts,
  type Handed,
  type ScriptReport,
  type TestReport,
  type Told,
} from './protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

const CONTENT_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'application/zip']);
const MOST_TESTS = 200;
const MOST_KINDS = 20;
const LONGEST_REASON = 500;

export function readTold(line: string): Told | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const told = fieldsOf(value);
  switch (told.type) {
    case 'ready':
      return { type: 'ready', browser: text(told.browser, 100), sandboxed: told.sandboxed === true };
    case 'unready':
      return { type: 'unready', reason: text(told.reason, 1000) };
    case 'console':
      return { type: 'console', line: consoleLine(fieldsOf(told.line)) };
    case 'artifact':
      return artifact(told);
    case 'part':
      return Number.isInteger(told.bytes) && count(told.bytes) > 0
        ? { type: 'part', bytes: count(told.bytes) }
        : undefined;
    case 'artifact-end':
      return { type: 'artifact-end', isWhole: told.isWhole === true };
    case 'over':
      return { type: 'over', report: reportOf(fieldsOf(told.report)) };
    default:
      return undefined;
  }
}

function artifact(told: Fields): Told | undefined {
  const { kind, name, contentType } = told;
  if (kind !== 'screenshot' && kind !== 'trace') return undefined;
  const isKnown = typeof contentType === 'string' && CONTENT_TYPES.has(contentType);
  if (!isKnown) return undefined;
  const plain = text(name, 100).replace(/[^\w.-]+/g, '-');
  return { type: 'artifact', kind: kind satisfies ArtifactKind, name: plain || kind, contentType };
}

function consoleLine({ from, level, text: said, atMs, location }: Fields): ConsoleLine {
  return {
    from: from === 'page' || from === 'page-error' ? from : 'script',
    level: text(level, 20),
    text: text(said, BOUNDS.lineLength),
    atMs: count(atMs),
    ...(typeof location === 'string' ? { location: text(location, 500) } : {}),
  };
}

function reportOf(told: Fields): ScriptReport {
  const { outcome, errors, tests, counts, detected, handed, durationMs, dropped, lost } = told;
  const { lines, artifacts } = fieldsOf(dropped);
  return {
    outcome: oneOf(outcome, ['passed', 'failed', 'timed-out', 'unusable', 'fault'], 'fault'),
    errors: texts(errors),
    tests: (Array.isArray(tests) ? tests : []).slice(0, MOST_TESTS).map((test) => testOf(fieldsOf(test))),
    ...(counts === undefined ? {} : { counts: countsOf(fieldsOf(counts)) }),
    ...(handed === undefined ? {} : { handed: handedOf(fieldsOf(handed)) }),
    ...(Array.isArray(detected)
      ? { detected: detected.slice(0, MOST_KINDS).map((one) => seenOf(fieldsOf(one))) }
      : {}),
    durationMs: count(durationMs),
    dropped: { lines: count(lines), artifacts: count(artifacts) },
    ...(Array.isArray(lost) ? { lost: texts(lost).map((one) => one.slice(0, LONGEST_REASON)) } : {}),
  };
}

/** As it is: who takes it reads no more of it than it knows. */
function handedOf({ globals, variables }: Fields): Handed {
  const set = Object.entries(fieldsOf(variables)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { globals: fieldsOf(globals), variables: Object.fromEntries(set) };
}

const seenOf = ({ kind, count: seen }: Fields): DetectedSecret => ({
  kind: text(kind, 50),
  count: count(seen),
});

function countsOf({ passed, failed, flaky, skipped }: Fields): Counts {
  return { passed: count(passed), failed: count(failed), flaky: count(flaky), skipped: count(skipped) };
}

function testOf({ title, status, durationMs, errors }: Fields): TestReport {
  return {
    title: text(title, 500),
    status: oneOf(status, ['passed', 'failed', 'timed-out', 'skipped'], 'failed'),
    durationMs: count(durationMs),
    errors: texts(errors),
  };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const text = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.slice(0, longest) : '';
const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).slice(0, BOUNDS.errors).map((one) => text(one, BOUNDS.errorLength));
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
function oneOf<T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T {
  return allowed.find((one) => one === value) ?? otherwise;
}

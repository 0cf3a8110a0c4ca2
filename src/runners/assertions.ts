/**
 * Judges assertions. One rule covers every source: an assertion holds when it holds for **every** value that its
 * source yielded; where nothing was yielded only IS_EMPTY and IS_NULL hold. What cannot be judged never passes.
 */
import { getLargeInteger } from '../base/exact-numbers.ts';
import { isDeeperThan } from '../base/json-depth.ts';
import { COMPARISONS } from '../contract/enumerations.ts';
import { capture } from './assertions/capture-matches.ts';
import { compare, type Finding, isEqual, parsed } from './assertions/compare.ts';
import { equalsRecords } from './assertions/equals-records.ts';
import type { Assertion, AssertionResult, Comparison, JsonValue, Subject } from './assertions/types.ts';

/** Characters of an actual value that a message quotes, and that a result keeps. */
const QUOTED = 200;
const KEPT = 4096;
/** Values that nest deeper are kept as their JSON text: agents, services and clients bound the depth of what they read. */
const MOST_LEVELS = 20;
const TOO_DEEP = 'the value is nested too deeply';

/** Judges one assertion against what its source yielded. Never throws. */
export function evaluateAssertion(assertion: Assertion, source: Subject): AssertionResult {
  const target = assertion.target ?? '';
  const regex = assertion.regex ?? '';
  const { subject, finding } = judged(assertion.comparison, source, target, regex);
  const passed = 'holds' in finding && finding.holds;
  return {
    source: assertion.source,
    property: assertion.property ?? '',
    comparison: assertion.comparison,
    target,
    regex,
    actual: shown(exactly(subject)),
    passed,
    judged: !('unusable' in finding),
    message: passed ? '' : complaint(assertion, subject, finding),
  };
}

function judged(
  comparison: string,
  source: Subject,
  target: string,
  regex: string,
): { readonly subject: Subject; readonly finding: Finding } {
  try {
    const subject = regex === '' || source.unusable !== undefined ? source : capture(source, regex);
    return { subject, finding: find(comparison, subject, target) };
  } catch (error) {
    // Comparing and writing JSON descend level by level, until the stack is full.
    if (!(error instanceof RangeError)) throw error;
    return { subject: { values: [] }, finding: { cannot: TOO_DEEP } };
  }
}

/** JSON, or why there is none. */
function jsonOf(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return `(${TOO_DEEP})`;
  }
}

/** Judges each of a check's assertions, with what `subjectOf` says its source yielded. */
export function evaluateAssertions(
  assertions: readonly Assertion[],
  subjectOf: (assertion: Assertion) => Subject,
): AssertionResult[] {
  return assertions.map((assertion) => evaluateAssertion(assertion, subjectOf(assertion)));
}

function find(name: string, subject: Subject, target: string): Finding {
  if (subject.unusable !== undefined) return { unusable: subject.unusable };
  const comparison = COMPARISONS.find((known) => known === name);
  if (comparison === undefined) return { unusable: `unknown comparison ${name}` };
  const fold = folding(subject);
  if (subject.records !== undefined && (comparison === 'EQUALS' || comparison === 'NOT_EQUALS')) {
    const equal = equalsRecords(subject.records, target, fold);
    return { holds: comparison === 'EQUALS' ? equal : !equal };
  }
  if (subject.values.length === 0) return findNone(comparison, subject);
  return findSet(comparison, subject, target, fold) ?? findEach(comparison, subject, target, fold);
}

function findNone(comparison: Comparison, subject: Subject): Finding {
  if (comparison === 'IS_EMPTY' || comparison === 'IS_NULL') return { holds: true };
  return { cannot: subject.absence ?? 'there is no value to compare' };
}

/** Several values against a JSON array of as many: the same members, whatever their order (records rotate). */
function findSet(
  comparison: Comparison,
  { values, largeIntegers }: Subject,
  target: string,
  fold: (text: string) => string,
): Finding | undefined {
  if (comparison !== 'EQUALS' && comparison !== 'NOT_EQUALS') return undefined;
  if (!target.trimStart().startsWith('[') || values.some((value) => Array.isArray(value))) return undefined;
  const wanted = parsed(target);
  if (!Array.isArray(wanted)) return undefined;
  const left = wanted.map((member, at) =>
    typeof member === 'string'
      ? member
      : (getLargeInteger(member, wanted, String(at)) ?? JSON.stringify(member)),
  );
  const [only] = values;
  const literally =
    values.length === 1 && only !== undefined && isEqual(only, target, fold, largeIntegers?.get(0));
  const alike =
    left.length === values.length &&
    values.every((value, index) => {
      const at = left.findIndex((member) => isEqual(value, member, fold, largeIntegers?.get(index)));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  const equal = literally || alike;
  return { holds: comparison === 'EQUALS' ? equal : !equal };
}

/** The first value for which the comparison does not hold decides. */
function findEach(
  comparison: Comparison,
  { values, largeIntegers }: Subject,
  target: string,
  fold: (text: string) => string,
): Finding {
  for (const [at, value] of values.entries()) {
    const finding = compare(comparison, value, target, fold, largeIntegers?.get(at));
    if ('holds' in finding && finding.holds) continue;
    return finding;
  }
  return { holds: true };
}

function folding(subject: Subject): (text: string) => string {
  const { ignoreCase = false, looseTabs = false } = subject;
  if (!ignoreCase && !looseTabs) return (text) => text;
  return (text) => {
    const spaced = looseTabs ? text.replaceAll(/\t+/g, ' ') : text;
    return ignoreCase ? spaced.toUpperCase() : spaced;
  };
}

function complaint(assertion: Assertion, subject: Subject, finding: Finding): string {
  const { source, property, comparison, target } = assertion;
  const needsTarget = !/^(?:IS|NOT)_(?:EMPTY|NULL)$/.test(comparison);
  const statement = [
    source,
    ...(property ? [property] : []),
    comparison,
    ...(needsTarget ? [quoted(target ?? '')] : []),
  ].join(' ');
  if ('unusable' in finding) return `${statement}: ${finding.unusable}`;
  if ('cannot' in finding && subject.values.length === 0) return `${statement}: ${finding.cannot}`;
  const values = subject.values
    .map((value, at) => subject.largeIntegers?.get(at) ?? quoted(value))
    .join(', ');
  const was = `was ${subject.values.length === 0 ? 'nothing' : clipped(values, QUOTED)}`;
  return 'cannot' in finding ? `${statement}: ${was}; ${finding.cannot}` : `${statement}: ${was}`;
}

function quoted(value: JsonValue): string {
  return clipped(
    typeof value === 'string' ? `"${value.replaceAll('\t', ' ').replaceAll('\n', ' / ')}"` : jsonOf(value),
    QUOTED,
  );
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The values, and as text those that no number can hold. */
function exactly({ values, largeIntegers }: Subject): readonly JsonValue[] {
  return values.map((value, at) => {
    const integer = largeIntegers?.get(at);
    return integer === undefined || integer === String(value) ? value : integer;
  });
}

function shown(values: readonly JsonValue[]): JsonValue {
  if (values.length === 0) return null;
  const actual = values.length === 1 ? (values[0] ?? null) : values;
  if (typeof actual === 'string') return clipped(actual, KEPT);
  if (actual === null || typeof actual !== 'object') return actual;
  const text = jsonOf(actual);
  const isText = text.length > KEPT || text.startsWith('(') || isDeeperThan(text, MOST_LEVELS);
  return isText ? clipped(text, KEPT) : actual;
}

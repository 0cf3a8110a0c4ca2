/**
 * Judges assertions. One rule covers every source: an assertion holds when it holds for **every** value that its
 * source yielded; where nothing was yielded only IS_EMPTY and IS_NULL hold. What cannot be judged never passes.
 */
import { getLargeInteger } from '../base/exact-numbers.ts';
import { isDeeperThan } from '../base/json-depth.ts';
import { COMPARISONS } from '../contract/enumerations.ts';
import { captureMatches } from './assertions/capture-matches.ts';
import { type ComparisonResult, compare, isEqual, parseJson } from './assertions/compare.ts';
import { equalsRecords } from './assertions/equals-records.ts';
import type { Assertion, AssertionResult, Comparison, JsonValue, Subject } from './assertions/types.ts';

/** Characters of an actual value that a message quotes, and that a result keeps. */
const MAX_QUOTED = 200;
const MAX_STORED = 4096;
/** Values that nest deeper are kept as their JSON text: agents, services and clients bound the depth of what they read. */
const MAX_LEVELS = 20;
const TOO_DEEP = 'the value is nested too deeply';

/** Judges one assertion against what its source yielded. Never throws. */
export function evaluateAssertion(assertion: Assertion, source: Subject): AssertionResult {
  const target = assertion.target ?? '';
  const regex = assertion.regex ?? '';
  const { subject, comparisonResult } = compareWithTarget(assertion.comparison, source, target, regex);
  const passed = 'holds' in comparisonResult && comparisonResult.holds;
  return {
    source: assertion.source,
    property: assertion.property ?? '',
    comparison: assertion.comparison,
    target,
    regex,
    actual: toStoredValue(withExactIntegers(subject)),
    passed,
    judged: !('unusable' in comparisonResult),
    message: passed ? '' : formatMessage(assertion, subject, comparisonResult),
  };
}

function compareWithTarget(
  comparison: string,
  source: Subject,
  target: string,
  regex: string,
): { readonly subject: Subject; readonly comparisonResult: ComparisonResult } {
  try {
    const subject = regex === '' || source.unusable !== undefined ? source : captureMatches(source, regex);
    return { subject, comparisonResult: compareSubject(comparison, subject, target) };
  } catch (error) {
    // Comparing and writing JSON descend level by level, until the stack is full.
    if (!(error instanceof RangeError)) throw error;
    return { subject: { values: [] }, comparisonResult: { cannot: TOO_DEEP } };
  }
}

/** JSON, or why there is none. */
function toJson(value: JsonValue): string {
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

function compareSubject(name: string, subject: Subject, target: string): ComparisonResult {
  if (subject.unusable !== undefined) return { unusable: subject.unusable };
  const comparison = COMPARISONS.find((known) => known === name);
  if (comparison === undefined) return { unusable: `unknown comparison ${name}` };
  const fold = createFold(subject);
  if (subject.records !== undefined && (comparison === 'EQUALS' || comparison === 'NOT_EQUALS')) {
    const equal = equalsRecords(subject.records, target, fold);
    return { holds: comparison === 'EQUALS' ? equal : !equal };
  }
  if (subject.values.length === 0) return compareNothing(comparison, subject);
  return (
    compareUnordered(comparison, subject, target, fold) ?? compareEach(comparison, subject, target, fold)
  );
}

function compareNothing(comparison: Comparison, subject: Subject): ComparisonResult {
  if (comparison === 'IS_EMPTY' || comparison === 'IS_NULL') return { holds: true };
  return { cannot: subject.absence ?? 'there is no value to compare' };
}

/** Several values against a JSON array of as many: the same members, whatever their order (records rotate). */
function compareUnordered(
  comparison: Comparison,
  { values, largeIntegers }: Subject,
  target: string,
  fold: (text: string) => string,
): ComparisonResult | undefined {
  if (comparison !== 'EQUALS' && comparison !== 'NOT_EQUALS') return undefined;
  if (!target.trimStart().startsWith('[') || values.some((value) => Array.isArray(value))) return undefined;
  const expected = parseJson(target);
  if (!Array.isArray(expected)) return undefined;
  const unmatched = expected.map((member, at) =>
    typeof member === 'string'
      ? member
      : (getLargeInteger(member, expected, String(at)) ?? JSON.stringify(member)),
  );
  const [only] = values;
  const isSameText =
    values.length === 1 && only !== undefined && isEqual(only, target, fold, largeIntegers?.get(0));
  const hasSameMembers =
    unmatched.length === values.length &&
    values.every((value, index) => {
      const at = unmatched.findIndex((member) => isEqual(value, member, fold, largeIntegers?.get(index)));
      if (at >= 0) unmatched.splice(at, 1);
      return at >= 0;
    });
  const equal = isSameText || hasSameMembers;
  return { holds: comparison === 'EQUALS' ? equal : !equal };
}

/** The first value for which the comparison does not hold decides. */
function compareEach(
  comparison: Comparison,
  { values, largeIntegers }: Subject,
  target: string,
  fold: (text: string) => string,
): ComparisonResult {
  for (const [at, value] of values.entries()) {
    const result = compare(comparison, value, target, fold, largeIntegers?.get(at));
    if ('holds' in result && result.holds) continue;
    return result;
  }
  return { holds: true };
}

function createFold(subject: Subject): (text: string) => string {
  const { ignoreCase = false, looseTabs = false } = subject;
  if (!ignoreCase && !looseTabs) return (text) => text;
  return (text) => {
    const spaced = looseTabs ? text.replaceAll(/\t+/g, ' ') : text;
    return ignoreCase ? spaced.toUpperCase() : spaced;
  };
}

function formatMessage(assertion: Assertion, subject: Subject, result: ComparisonResult): string {
  const { source, property, comparison, target } = assertion;
  const needsTarget = !/^(?:IS|NOT)_(?:EMPTY|NULL)$/.test(comparison);
  const statement = [
    source,
    ...(property ? [property] : []),
    comparison,
    ...(needsTarget ? [quote(target ?? '')] : []),
  ].join(' ');
  if ('unusable' in result) return `${statement}: ${result.unusable}`;
  if ('cannot' in result && subject.values.length === 0) return `${statement}: ${result.cannot}`;
  const values = subject.values.map((value, at) => subject.largeIntegers?.get(at) ?? quote(value)).join(', ');
  const actual = `was ${subject.values.length === 0 ? 'nothing' : truncate(values, MAX_QUOTED)}`;
  return 'cannot' in result ? `${statement}: ${actual}; ${result.cannot}` : `${statement}: ${actual}`;
}

function quote(value: JsonValue): string {
  return truncate(
    typeof value === 'string' ? `"${value.replaceAll('\t', ' ').replaceAll('\n', ' / ')}"` : toJson(value),
    MAX_QUOTED,
  );
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The values, and as text those that no number can hold. */
function withExactIntegers({ values, largeIntegers }: Subject): readonly JsonValue[] {
  return values.map((value, at) => {
    const integer = largeIntegers?.get(at);
    return integer === undefined || integer === String(value) ? value : integer;
  });
}

function toStoredValue(values: readonly JsonValue[]): JsonValue {
  if (values.length === 0) return null;
  const actual = values.length === 1 ? (values[0] ?? null) : values;
  if (typeof actual === 'string') return truncate(actual, MAX_STORED);
  if (actual === null || typeof actual !== 'object') return actual;
  const text = toJson(actual);
  const isText = text.length > MAX_STORED || text.startsWith('(') || isDeeperThan(text, MAX_LEVELS);
  return isText ? truncate(text, MAX_STORED) : actual;
}

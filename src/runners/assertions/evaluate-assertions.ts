/**
 * Evaluates assertions. An assertion holds if it holds for **every** value of its source, unless the source lets any
 * value satisfy a positive comparison; without values only IS_EMPTY and IS_NULL hold. An assertion that cannot be
 * evaluated, or whose data is incomplete, never passes.
 */

import { findExcess } from '../../base/depth.ts';
import { getLargeInteger } from '../../base/exact-numbers.ts';
import { COMPARISONS } from '../../contract/enumerations.ts';
import type {
  Assertion,
  AssertionResult,
  Comparison,
  JsonValue,
  Selection,
  TextRules,
} from '../core/assertion.ts';
import { captureMatches } from './capture-matches.ts';
import { type ComparisonResult, compare, isEqual, parseJson } from './compare.ts';
import type { Subject } from './subject.ts';
import { UNITS } from './units.ts';

/** Maximum number of characters of an actual value, in messages and in results. */
const MAX_QUOTED = 200;
const MAX_STORED = 4096;
/** Deeper values are stored as JSON text, because agents, services and clients limit the nesting of what they read. */
const MAX_LEVELS = 20;
/** Characters after a cut in which a secret that begins before it may end. */
const MASK_MARGIN = 64 * 1024;
const TOO_DEEP = 'the value is nested too deeply';

/** Masks secrets in a value that a result shows. */
export type Mask = <Value>(value: Value) => Value;
const unmasked: Mask = (value) => value;

/** Evaluates one assertion against its subject. Throws only what `mask` throws. */
export function evaluateAssertion(
  assertion: Assertion,
  source: Subject,
  mask: Mask = unmasked,
): AssertionResult {
  const target = assertion.target ?? '';
  const regex = assertion.regex ?? '';
  const { subject, comparisonResult } = compareWithTarget(assertion.comparison, source, target, regex);
  const passed = 'holds' in comparisonResult && comparisonResult.holds;
  const shown = maskValues(subject, mask);
  return {
    source: assertion.source,
    property: assertion.property ?? '',
    comparison: assertion.comparison,
    target,
    regex,
    actual: toStoredValue(withExactIntegers(shown)),
    passed,
    message: passed ? '' : formatMessage(assertion, shown, comparisonResult),
  };
}

/** Masks the start of a text that is cut to `length` later, because a part of a secret is not recognized. */
export const maskStart = (text: string, length: number, mask: Mask): string =>
  mask(text.slice(0, length + MASK_MARGIN));

const maskValues = (selection: Selection, mask: Mask): Selection => ({
  ...selection,
  values: selection.values.map((value) => maskValue(value, mask)),
});

const maskValue = (value: JsonValue, mask: Mask): JsonValue =>
  unlessTooDeep<JsonValue>(
    () => (typeof value === 'string' ? maskStart(value, MAX_STORED, mask) : mask(value)),
    `(${TOO_DEEP})`,
  );

function compareWithTarget(
  comparison: string,
  source: Subject,
  target: string,
  regex: string,
): { readonly subject: Selection; readonly comparisonResult: ComparisonResult } {
  return unlessTooDeep(
    () => {
      const subject = regex === '' || source.unusable !== undefined ? source : captureMatches(source, regex);
      return { subject, comparisonResult: compareSubject(comparison, subject, target) };
    },
    { subject: { values: [] }, comparisonResult: { cannot: TOO_DEEP } },
  );
}

const toJson = (value: JsonValue): string => unlessTooDeep(() => JSON.stringify(value), `(${TOO_DEEP})`);

/** Runs work that recurses into a value. Returns `otherwise` if the stack overflows. */
function unlessTooDeep<Result>(work: () => Result, otherwise: Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return otherwise;
  }
}

/** Evaluates each assertion against the subject that `subjectOf` returns, and masks what its result shows. */
export function evaluateAssertions(
  assertions: readonly Assertion[],
  subjectOf: (assertion: Assertion) => Subject,
  maskOf: (assertion: Assertion) => Mask = () => unmasked,
): AssertionResult[] {
  return assertions.map((assertion) => evaluateAssertion(assertion, subjectOf(assertion), maskOf(assertion)));
}

function compareSubject(name: string, subject: Selection, target: string): ComparisonResult {
  if (subject.unusable !== undefined) return { unusable: subject.unusable };
  const comparison = COMPARISONS.find((known) => known === name);
  if (comparison === undefined) return { unusable: `unknown comparison ${name}` };
  if (subject.values.length === 0) return compareNothing(comparison, subject);
  const texts = subject.texts ?? (subject.ignoreCase ? ANY_CASE : EXACT);
  return (
    compareUnordered(comparison, subject, target, texts) ?? compareEach(comparison, subject, target, texts)
  );
}

function compareNothing(comparison: Comparison, subject: Selection): ComparisonResult {
  if (comparison === 'IS_EMPTY' || comparison === 'IS_NULL') return { holds: true };
  return { cannot: subject.absence ?? 'there is no value to compare' };
}

/** Compares values with a JSON array of the same length, ignoring the order, because DNS servers rotate records. */
function compareUnordered(
  comparison: Comparison,
  { values, largeIntegers }: Selection,
  target: string,
  texts: TextRules,
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
  const isSameText = values.length === 1 && isEqual(values[0] ?? null, target, texts);
  const hasSameMembers =
    unmatched.length === values.length &&
    values.every((value, index) => {
      const at = unmatched.findIndex((member) => isEqual(value, member, texts, largeIntegers?.get(index)));
      if (at >= 0) unmatched.splice(at, 1);
      return at >= 0;
    });
  const equal = isSameText || hasSameMembers;
  return { holds: comparison === 'EQUALS' ? equal : !equal };
}

/** Comparisons that state what a value is not, or that there is none. */
const NEGATIVE = /^(?:NOT_|IS_EMPTY$|IS_NULL$)/;

/**
 * Returns the first comparison that does not hold, if any. Where any value is enough, returns a comparison that holds
 * if all of a value, or of its captures, hold.
 */
function compareEach(
  comparison: Comparison,
  { values, largeIntegers, groups, isAnyOf = false }: Selection,
  target: string,
  texts: TextRules,
): ComparisonResult {
  const isEnough = isAnyOf && !NEGATIVE.test(comparison);
  const failures = new Map<number, ComparisonResult>();
  for (const [at, value] of values.entries()) {
    const result = compare(comparison, value, target, texts, largeIntegers?.get(at));
    if ('holds' in result && result.holds) continue;
    if (!isEnough) return result;
    failures.set(groups?.[at] ?? at, result);
  }
  const isSatisfied = values.some((_, at) => !failures.has(groups?.[at] ?? at));
  return (isSatisfied ? undefined : [...failures.values()].at(-1)) ?? { holds: true };
}

const EXACT: TextRules = {
  equals: (value, target) => value === target,
  contains: (value, target) => value.includes(target),
};

const ANY_CASE: TextRules = {
  equals: (value, target) => EXACT.equals(value.toUpperCase(), target.toUpperCase()),
  contains: (value, target) => EXACT.contains(value.toUpperCase(), target.toUpperCase()),
};

function formatMessage(assertion: Assertion, subject: Selection, result: ComparisonResult): string {
  const { source, property, comparison, target } = assertion;
  const needsTarget = !/^(?:IS|NOT)_(?:EMPTY|NULL)$/.test(comparison);
  const isTwin = (value: JsonValue) =>
    value !== target && looksLike(quoteExactly(value), quote(target ?? ''));
  const shownTarget = subject.values.some(isTwin) ? quoteExactly(target ?? '') : quote(target ?? '');
  const statement = [
    source,
    ...(property ? [property] : []),
    comparison,
    ...(needsTarget ? [shownTarget] : []),
  ].join(' ');
  if ('unusable' in result) return `${statement}: ${result.unusable}`;
  if ('cannot' in result && subject.values.length === 0) return `${statement}: ${result.cannot}`;
  const show = (value: JsonValue): string => {
    const shown = quote(value);
    return needsTarget && looksLike(shown, shownTarget) && value !== target ? quoteExactly(value) : shown;
  };
  const values = subject.values.map((value, at) => subject.largeIntegers?.get(at) ?? show(value)).join(', ');
  const unit = UNITS[source] ?? '';
  const actual = `was ${subject.values.length === 0 ? 'nothing' : `${truncate(values, MAX_QUOTED)}${unit}`}`;
  return 'cannot' in result ? `${statement}: ${actual}; ${result.cannot}` : `${statement}: ${actual}`;
}

/** Quotes a value for a sentence. Characters that nobody sees, or that end a line, are escaped: `"A\u0001B"`. */
function quote(value: JsonValue): string {
  const text =
    typeof value === 'string' ? `"${value.replaceAll('\t', ' ').replaceAll('\n', ' / ')}"` : toJson(value);
  return truncate(escapeUnseen(text), MAX_QUOTED);
}

/** Quotes a value or target that differs from the other and looks like it: by tabs, line breaks or kinds of spaces. */
const quoteExactly = (value: JsonValue): string =>
  truncate(escapeUnseen(toJson(value), /(?! )\p{Zs}/gu), MAX_QUOTED);

const looksLike = (one: string, other: string): boolean =>
  one.replace(/\p{Zs}/gu, ' ') === other.replace(/\p{Zs}/gu, ' ');

/** Controls, separators of lines, and format characters but for joiners, which emoji need. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

const escapeUnseen = (text: string, ...more: readonly RegExp[]): string =>
  [UNSEEN, ...more].reduce((shown, pattern) => shown.replace(pattern, escapeCharacter), text);

const escapeCharacter = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Replaces integers beyond the safe range by their text. */
function withExactIntegers({ values, largeIntegers }: Selection): readonly JsonValue[] {
  return values.map((value, at) => {
    const integer = largeIntegers?.get(at);
    return integer === undefined || integer === String(value) ? value : integer;
  });
}

function toStoredValue(values: readonly JsonValue[]): JsonValue {
  const actual = values.length > 1 ? values : (values[0] ?? null);
  if (typeof actual === 'string') return truncate(actual, MAX_STORED);
  const text = toJson(actual);
  const isText =
    text.length > MAX_STORED || text.startsWith('(') || findExcess(text, MAX_LEVELS) !== undefined;
  return isText ? truncate(text, MAX_STORED) : actual;
}

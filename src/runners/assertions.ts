/**
 * Judges assertions. One rule covers every source: an assertion holds when it holds for **every** value that its
 * source yielded; where nothing was yielded only IS_EMPTY and IS_NULL hold. What cannot be judged never passes.
 */
import { COMPARISONS } from '../contract/enumerations.ts';
import { capture } from './assertions/capture.ts';
import { compare, type Finding, isEqual, parsed } from './assertions/compare.ts';
import { equalsRecords } from './assertions/records.ts';
import type { Assertion, AssertionResult, Comparison, JsonValue, Subject } from './assertions/types.ts';

/** Characters of an actual value that a message quotes, and that a result keeps. */
const QUOTED = 200;
const KEPT = 4096;

/** Judges one assertion against what its source yielded. Never throws. */
export function judge(assertion: Assertion, source: Subject): AssertionResult {
  const target = assertion.target ?? '';
  const regex = assertion.regex ?? '';
  const subject = regex === '' || source.unusable !== undefined ? source : capture(source, regex);
  const finding = find(assertion.comparison, subject, target);
  const passed = 'holds' in finding && finding.holds;
  return {
    source: assertion.source,
    property: assertion.property ?? '',
    comparison: assertion.comparison,
    target,
    regex,
    actual: shown(subject.values),
    passed,
    judged: !('unusable' in finding),
    message: passed ? '' : complaint(assertion, subject, finding),
  };
}

/** Judges each of a check's assertions, with what `subjectOf` says its source yielded. */
export function judgeAll(
  assertions: readonly Assertion[],
  subjectOf: (assertion: Assertion) => Subject,
): AssertionResult[] {
  return assertions.map((assertion) => judge(assertion, subjectOf(assertion)));
}

function find(name: string, subject: Subject, target: string): Finding {
  if (subject.unusable !== undefined) return { unusable: subject.unusable };
  const comparison = COMPARISONS.find((known) => known === name);
  if (comparison === undefined) return { unusable: `there is no comparison ${name}` };
  const fold = folding(subject);
  if (subject.records !== undefined && (comparison === 'EQUALS' || comparison === 'NOT_EQUALS')) {
    const equal = equalsRecords(subject.records, target, fold);
    return { holds: comparison === 'EQUALS' ? equal : !equal };
  }
  if (subject.values.length === 0) return findNone(comparison, subject);
  return (
    findSet(comparison, subject.values, target, fold) ?? findEach(comparison, subject.values, target, fold)
  );
}

function findNone(comparison: Comparison, subject: Subject): Finding {
  if (comparison === 'IS_EMPTY' || comparison === 'IS_NULL') return { holds: true };
  return { cannot: subject.absence ?? 'nothing was there to compare' };
}

/** Several values against a JSON array of as many: the same members, whatever their order (records rotate). */
function findSet(
  comparison: Comparison,
  values: readonly JsonValue[],
  target: string,
  fold: (text: string) => string,
): Finding | undefined {
  if (comparison !== 'EQUALS' && comparison !== 'NOT_EQUALS') return undefined;
  if (!target.trimStart().startsWith('[') || values.some((value) => Array.isArray(value))) return undefined;
  const wanted = parsed(target);
  if (!Array.isArray(wanted)) return undefined;
  const left: JsonValue[] = [...wanted];
  const [only] = values;
  const literally = values.length === 1 && only !== undefined && isEqual(only, target, fold);
  const alike =
    left.length === values.length &&
    values.every((value) => {
      const at = left.findIndex((member) =>
        isEqual(value, typeof member === 'string' ? member : JSON.stringify(member), fold),
      );
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  const equal = literally || alike;
  return { holds: comparison === 'EQUALS' ? equal : !equal };
}

/** The first value for which the comparison does not hold decides. */
function findEach(
  comparison: Comparison,
  values: readonly JsonValue[],
  target: string,
  fold: (text: string) => string,
): Finding {
  for (const value of values) {
    const finding = compare(comparison, value, target, fold);
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
  const values = subject.values.map((value) => quoted(value)).join(', ');
  const was = `was ${subject.values.length === 0 ? 'nothing' : clipped(values, QUOTED)}`;
  return 'cannot' in finding ? `${statement}: ${was}; ${finding.cannot}` : `${statement}: ${was}`;
}

function quoted(value: JsonValue): string {
  return clipped(
    typeof value === 'string'
      ? `"${value.replaceAll('\t', ' ').replaceAll('\n', ' / ')}"`
      : JSON.stringify(value),
    QUOTED,
  );
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function shown(values: readonly JsonValue[]): JsonValue {
  if (values.length === 0) return null;
  const actual = values.length === 1 ? (values[0] ?? null) : values;
  if (typeof actual === 'string') return clipped(actual, KEPT);
  if (actual === null || typeof actual !== 'object') return actual;
  const text = JSON.stringify(actual);
  return text.length > KEPT ? clipped(text, KEPT) : actual;
}

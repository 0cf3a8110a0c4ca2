/** Compares one value with a target. */
import { isDeepStrictEqual } from 'node:util';
import { getLargeInteger, parseExact } from '../../base/exact-numbers.ts';
import type { Comparison, JsonValue, TextRules } from '../core/assertion.ts';

/** Whether a comparison holds, or why it is impossible: because of the value (`cannot`) or the target (`unusable`). */
export type ComparisonResult =
  | { readonly holds: boolean }
  | { readonly cannot: string }
  | { readonly unusable: string };

const NUMBER = /^[+-]?(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/**
 * Compares one value. `texts` says which texts the source treats as equal. `integer` is the text of an integer
 * beyond JavaScript's safe range.
 */
export function compare(
  comparison: Comparison,
  value: JsonValue,
  target: string,
  texts: TextRules,
  integer = getLargeInteger(value),
): ComparisonResult {
  switch (comparison) {
    case 'EQUALS':
      return { holds: isEqual(value, target, texts, integer) };
    case 'NOT_EQUALS':
      return { holds: !isEqual(value, target, texts, integer) };
    case 'CONTAINS':
      return contains(value, target, texts);
    case 'NOT_CONTAINS':
      return negate(contains(value, target, texts));
    case 'HAS_KEY':
      return hasKey(value, target);
    case 'NOT_HAS_KEY':
      return negate(hasKey(value, target));
    case 'HAS_VALUE':
      return hasValue(value, target, texts);
    case 'NOT_HAS_VALUE':
      return negate(hasValue(value, target, texts));
    case 'IS_EMPTY':
      return { holds: isEmpty(value) };
    case 'NOT_EMPTY':
      return { holds: !isEmpty(value) };
    case 'IS_NULL':
      return { holds: value === null };
    case 'NOT_NULL':
      return { holds: value !== null };
    case 'GREATER_THAN':
      return compareOrder(value, target, integer, (order) => order > 0);
    case 'LESS_THAN':
      return compareOrder(value, target, integer, (order) => order < 0);
    default: {
      const never: never = comparison;
      throw new TypeError(`unknown comparison ${String(never)}`);
    }
  }
}

/** Compares a string by its text, a number by its value, and other values with the JSON in the target. */
export function isEqual(
  value: JsonValue,
  target: string,
  texts: TextRules,
  integer = getLargeInteger(value),
): boolean {
  if (typeof value === 'string') return texts.equals(value, target);
  if (typeof value === 'number') {
    const expected = parseNumber(target);
    return expected === value && compareNumbers(value, expected, integer, target) === 0;
  }
  const expected = parseJson(target);
  return expected !== undefined && isDeepStrictEqual(expected, value) && haveSameIntegers(expected, value);
}

/** Returns whether two values that JavaScript considers equal also have the same large integers. */
function haveSameIntegers(one: JsonValue, other: JsonValue): boolean {
  if (one === null || typeof one !== 'object') return true;
  const peer = other as typeof one;
  return Object.entries(one).every(([key, member]) => {
    const counterpart = Reflect.get(peer, key) as JsonValue;
    const integer = getLargeInteger(member, one, key);
    return integer === undefined
      ? haveSameIntegers(member, counterpart)
      : compareDigits(integer, getLargeInteger(counterpart, peer, key) ?? String(counterpart)) === 0;
  });
}

/** Parses JSON; returns undefined for other text. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return parseExact(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function negate(result: ComparisonResult): ComparisonResult {
  return 'holds' in result ? { holds: !result.holds } : result;
}

function contains(value: JsonValue, target: string, texts: TextRules): ComparisonResult {
  if (typeof value === 'string') return { holds: texts.contains(value, target) };
  if (Array.isArray(value)) return hasValue(value, target, texts);
  return { cannot: `only strings and arrays can be searched, not ${describeKind(value)}` };
}

function hasKey(value: JsonValue, target: string): ComparisonResult {
  if (value !== null && typeof value === 'object') return { holds: Object.hasOwn(value, target) };
  return { cannot: `only objects and arrays have keys, not ${describeKind(value)}` };
}

function hasValue(value: JsonValue, target: string, texts: TextRules): ComparisonResult {
  if (value === null || typeof value !== 'object') {
    return { cannot: `only objects and arrays have values, not ${describeKind(value)}` };
  }
  const members: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  const keys = Object.keys(value);
  return {
    holds: members.some((member, at) =>
      isEqual(member, target, texts, getLargeInteger(member, value, keys[at])),
    ),
  };
}

/** Returns whether a value is null, an empty text, an empty array or an empty object. */
function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return value === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function compareOrder(
  value: JsonValue,
  target: string,
  integer: string | undefined,
  holds: (order: number) => boolean,
): ComparisonResult {
  const right = parseNumber(target);
  if (right === undefined) return { unusable: `the target ${JSON.stringify(target)} is not a number` };
  const left = typeof value === 'number' ? value : typeof value === 'string' ? parseNumber(value) : undefined;
  if (left === undefined) return { cannot: `the value must be a number, not ${describeKind(value)}` };
  return { holds: holds(compareNumbers(left, right, integer, target)) };
}

/**
 * Returns a negative number if the first is less. Large integers that JavaScript cannot distinguish are compared by
 * digits.
 */
function compareNumbers(left: number, right: number, integer: string | undefined, target: string): number {
  if (left !== right || integer === undefined) return orderOf(left, right);
  return compareDigits(integer, target.trim());
}

/** Returns a negative number if the first is less, and 0 if they are equal. */
const orderOf = <T extends number | string>(left: T, right: T): number =>
  Number(left > right) - Number(left < right);

function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

function describeKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}

/** Compares the digits of two large integers that JavaScript considers equal, so that their signs are the same. */
function compareDigits(left: string, right: string): number {
  const [one, other] = [toSignificand(left), toSignificand(right)];
  const length = Math.max(one.digits.length, other.digits.length);
  const order =
    orderOf(one.magnitude, other.magnitude) ||
    orderOf(one.digits.padEnd(length, '0'), other.digits.padEnd(length, '0'));
  return left.startsWith('-') ? -order : order;
}

/** Returns the digits from the first that is not zero, and how many of them come before the decimal point. */
function toSignificand(text: string): { readonly digits: string; readonly magnitude: number } {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  return { digits, magnitude: digits.length - fraction.length + Number(exponent) };
}

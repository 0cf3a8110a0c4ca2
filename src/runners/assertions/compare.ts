/** The comparisons themselves: one value, one target, and whether the comparison holds. */
import { isDeepStrictEqual } from 'node:util';
import type { Comparison, JsonValue } from './types.ts';

/** Whether a comparison holds, or why it cannot be made: because of the value (`cannot`) or of the target (`unusable`). */
export type Finding =
  | { readonly holds: boolean }
  | { readonly cannot: string }
  | { readonly unusable: string };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Compares one value. `fold` makes two texts alike that the source counts as alike. */
export function compare(
  comparison: Comparison,
  value: JsonValue,
  target: string,
  fold: (text: string) => string,
): Finding {
  switch (comparison) {
    case 'EQUALS':
      return { holds: isEqual(value, target, fold) };
    case 'NOT_EQUALS':
      return { holds: !isEqual(value, target, fold) };
    case 'CONTAINS':
      return contains(value, target, fold);
    case 'NOT_CONTAINS':
      return negated(contains(value, target, fold));
    case 'HAS_KEY':
      return hasKey(value, target);
    case 'NOT_HAS_KEY':
      return negated(hasKey(value, target));
    case 'HAS_VALUE':
      return hasValue(value, target, fold);
    case 'NOT_HAS_VALUE':
      return negated(hasValue(value, target, fold));
    case 'IS_EMPTY':
      return { holds: isEmpty(value) };
    case 'NOT_EMPTY':
      return { holds: !isEmpty(value) };
    case 'IS_NULL':
      return { holds: value === null };
    case 'NOT_NULL':
      return { holds: value !== null };
    case 'GREATER_THAN':
      return ordered(value, target, (left, right) => left > right);
    case 'LESS_THAN':
      return ordered(value, target, (left, right) => left < right);
    default: {
      const never: never = comparison;
      throw new TypeError(`unknown comparison ${String(never)}`);
    }
  }
}

/** A string equals its letters, a number its amount, anything else the JSON that the target holds. */
export function isEqual(value: JsonValue, target: string, fold: (text: string) => string): boolean {
  if (typeof value === 'string') return fold(value) === fold(target);
  if (typeof value === 'number') return numberOf(target) === value;
  if (value === null || typeof value === 'boolean') return String(value) === target.trim();
  const wanted = parsed(target);
  return wanted !== undefined && isDeepStrictEqual(wanted, value);
}

/** The JSON that a text holds, or undefined where it holds none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function negated(finding: Finding): Finding {
  return 'holds' in finding ? { holds: !finding.holds } : finding;
}

function contains(value: JsonValue, target: string, fold: (text: string) => string): Finding {
  if (typeof value === 'string') return { holds: fold(value).includes(fold(target)) };
  if (Array.isArray(value)) return hasValue(value, target, fold);
  return { cannot: `only text and arrays can contain something, and this is ${kindOf(value)}` };
}

function hasKey(value: JsonValue, target: string): Finding {
  if (value !== null && typeof value === 'object') return { holds: Object.hasOwn(value, target) };
  return { cannot: `only objects and arrays have keys, and this is ${kindOf(value)}` };
}

function hasValue(value: JsonValue, target: string, fold: (text: string) => string): Finding {
  if (value === null || typeof value !== 'object') {
    return { cannot: `only objects and arrays have values, and this is ${kindOf(value)}` };
  }
  const members: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return { holds: members.some((member) => isEqual(member, target, fold)) };
}

/** Null, empty text, an empty array and an empty object are empty; a number and a boolean never are. */
function isEmpty(value: JsonValue): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return value === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function ordered(value: JsonValue, target: string, holds: (left: number, right: number) => boolean): Finding {
  const right = numberOf(target);
  if (right === undefined) return { unusable: `the target ${JSON.stringify(target)} is not a number` };
  const left = typeof value === 'number' ? value : typeof value === 'string' ? numberOf(value) : undefined;
  if (left === undefined) return { cannot: `only numbers can be ordered, and this is ${kindOf(value)}` };
  return { holds: holds(left, right) };
}

function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

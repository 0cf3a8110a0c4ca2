/** Reads and selects fields by path: `name`, `request.url`, and through arrays `results.location`. */
import { type Problem, UsageError } from '../base/errors.ts';
import { copyWrittenNumber, getLossyNumber } from '../base/exact-numbers.ts';
import { formatSuggestion } from '../base/phrases.ts';
import { findNearest } from '../base/suggest.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Splits a path at its first dot. A key that contains the dot itself is not split. */
function splitPath(record: Record<string, unknown>, path: string): [key: string, rest: string | undefined] {
  if (Object.hasOwn(record, path)) return [path, undefined];
  const dot = path.indexOf('.');
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

/**
 * Returns the value at a path, the values of all items for an array, or undefined. Numbers beyond JavaScript's range
 * are text.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    const values = value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
    return values.length > 0 ? values : undefined;
  }
  if (!isRecord(value)) return undefined;
  const [key, rest] = splitPath(value, path);
  const next = Object.hasOwn(value, key) ? value[key] : undefined;
  return rest === undefined ? (getLossyNumber(value, key) ?? next) : valueAt(next, rest);
}

/** Returns a copy with only these paths, in their order and nesting. A path without a value is omitted. */
export function pickFields(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, paths));
  if (!isRecord(value)) return value;
  const restsByKey = new Map<string, string[] | undefined>();
  for (const path of paths) {
    const [key, rest] = splitPath(value, path);
    if (!Object.hasOwn(value, key)) continue;
    if (rest === undefined) restsByKey.set(key, undefined);
    else if (!restsByKey.has(key)) restsByKey.set(key, [rest]);
    else restsByKey.get(key)?.push(rest);
  }
  const picked = Object.fromEntries(
    [...restsByKey].map(([key, rests]) => [
      key,
      rests === undefined ? value[key] : pickFields(value[key], rests),
    ]),
  );
  for (const key of restsByKey.keys()) copyWrittenNumber(value, picked, key);
  return picked;
}

/** Returns the names in rows: keys, and the keys of nested objects after a dot. */
export function fieldNames(rows: readonly unknown[]): string[] {
  const names = new Set<string>();
  const walk = (value: unknown, prefix: string, depth: number): void => {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isRecord(item)) continue;
      for (const [key, nested] of Object.entries(item)) {
        names.add(prefix + key);
        if (depth > 0) walk(nested, `${prefix}${key}.`, depth - 1);
      }
    }
  };
  for (const row of rows) walk(row, '', 2);
  return [...names];
}

/** Validates selected names against rows as they arrive. */
export interface FieldValidator {
  addRows(rows: readonly unknown[]): void;
  /** Throws UsageError for names that no row has had so far, unless no name is known at all. */
  assertKnown(): void;
}

/** The error lists the names of this many rows. */
const MAX_LISTED = 1000;

/** Creates a validator for the names in `--fields`; `known` names are valid even if no row has them. */
export function createFieldValidator(fields: readonly string[], known: readonly string[]): FieldValidator {
  const available = new Set(known);
  let listed = 0;
  let unknown = fields.filter((field) => !available.has(field));
  return {
    addRows(rows) {
      if (unknown.length === 0) return;
      if (listed < MAX_LISTED) for (const name of fieldNames(rows)) available.add(name);
      listed += rows.length;
      unknown = unknown.filter(
        (field) => !available.has(field) && !rows.some((row) => valueAt(row, field) !== undefined),
      );
    },
    assertKnown() {
      if (unknown.length > 0 && available.size > 0) throw unknownFieldsError(unknown, [...available]);
    },
  };
}

/** Throws UsageError for names that are neither known nor in the rows, unless no name is known at all. */
export function validateFields(
  fields: readonly string[],
  known: readonly string[],
  rows: readonly unknown[] = [],
): void {
  const check = createFieldValidator(fields, known);
  check.addRows(rows);
  check.assertKnown();
}

function unknownFieldsError(unknown: readonly string[], available: readonly string[]): UsageError {
  const details = unknown.map((field): Problem => {
    const suggestion = findNearest(field, available);
    return {
      place: '--fields',
      message: `unknown field: "${field}"`,
      allowed: available,
      ...(suggestion === undefined ? {} : { nearest: suggestion }),
    };
  });
  const suggestion = details.length === 1 ? [details[0]?.nearest ?? []].flat() : [];
  const topLevel = available.filter((name) => !name.includes('.'));
  const quoted = unknown.map((field) => `"${field}"`).join(', ');
  return new UsageError(`unknown field: ${quoted}${formatSuggestion(...suggestion)}`, {
    details,
    hint: `available: ${topLevel.join(', ')}`,
  });
}

/** Finds and chooses fields by name: `name`, `request.url`, and through arrays `results.location`. */
import { type Problem, UsageError } from '../base/errors.ts';
import { copyWrittenNumber, getLossyNumber } from '../base/exact-numbers.ts';
import { formatSuggestion } from '../base/phrases.ts';
import { findNearest } from '../base/suggest.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first name of a path and the rest; a key that holds the dot itself is taken whole. */
function step(record: Record<string, unknown>, path: string): [key: string, rest: string | undefined] {
  if (Object.hasOwn(record, path)) return [path, undefined];
  const dot = path.indexOf('.');
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** The value at a path; of an array, the values of its items; undefined where there is none. A number that JavaScript cannot hold comes as its text. */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    const found = value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
    return found.length > 0 ? found : undefined;
  }
  if (!isRecord(value)) return undefined;
  const [key, rest] = step(value, path);
  const next = Object.hasOwn(value, key) ? value[key] : undefined;
  return rest === undefined ? (getLossyNumber(value, key) ?? next) : valueAt(next, rest);
}

/** A copy with the chosen paths alone, in the order and nesting they were asked for. A path without a value is left out. */
export function pick(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, paths));
  if (!isRecord(value)) return value;
  const wanted = new Map<string, string[] | undefined>();
  for (const path of paths) {
    const [key, rest] = step(value, path);
    if (!Object.hasOwn(value, key)) continue;
    if (rest === undefined) wanted.set(key, undefined);
    else if (!wanted.has(key)) wanted.set(key, [rest]);
    else wanted.get(key)?.push(rest);
  }
  const picked = Object.fromEntries(
    [...wanted].map(([key, rests]) => [key, rests === undefined ? value[key] : pick(value[key], rests)]),
  );
  for (const key of wanted.keys()) copyWrittenNumber(value, picked, key);
  return picked;
}

/** The names found in some rows: keys, and of nested objects their keys after a dot. */
export function namesIn(rows: readonly unknown[]): string[] {
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

/** Looks for chosen names in rows as they come. */
export interface FieldCheck {
  see(rows: readonly unknown[]): void;
  /** Throws UsageError for names that nothing has had so far; without anything seen or known, nothing. */
  judge(): void;
}

/** Of more rows than these nobody needs to be told which names there are. */
const MOST_LISTED = 1000;

/** Checks the names chosen with `--fields`; `known` are names that a row needn't have. */
export function createFieldCheck(fields: readonly string[], known: readonly string[]): FieldCheck {
  const available = new Set(known);
  let listed = 0;
  let unknown = fields.filter((field) => !available.has(field));
  return {
    see(rows) {
      if (unknown.length === 0) return;
      if (listed < MOST_LISTED) for (const name of namesIn(rows)) available.add(name);
      listed += rows.length;
      unknown = unknown.filter(
        (field) => !available.has(field) && !rows.some((row) => valueAt(row, field) !== undefined),
      );
    },
    judge() {
      if (unknown.length > 0 && available.size > 0) throw unknownFields(unknown, [...available]);
    },
  };
}

/** Throws UsageError for chosen names that are neither among the known nor in the rows; without any known name, nothing. */
export function checkFields(
  fields: readonly string[],
  known: readonly string[],
  rows: readonly unknown[] = [],
): void {
  const check = createFieldCheck(fields, known);
  check.see(rows);
  check.judge();
}

function unknownFields(unknown: readonly string[], available: readonly string[]): UsageError {
  const details = unknown.map((field): Problem => {
    const near = findNearest(field, available);
    return {
      place: '--fields',
      message: `unknown field: "${field}"`,
      allowed: available,
      ...(near === undefined ? {} : { nearest: near }),
    };
  });
  const near = details.length === 1 ? [details[0]?.nearest ?? []].flat() : [];
  const top = available.filter((name) => !name.includes('.'));
  const named = unknown.map((field) => `"${field}"`).join(', ');
  return new UsageError(`unknown field: ${named}${formatSuggestion(...near)}`, {
    details,
    hint: `available: ${top.join(', ')}`,
  });
}

/** Selects parts of a JSON document by the JSONPath of an assertion's `property`. */
import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathRecursionLimitError,
  type JSONValue,
} from 'json-p3';
import { getLargeInteger } from '../../base/exact-numbers.ts';
import { matchesIRegexp } from './pattern.ts';
import type { JsonValue, Subject } from './types.ts';
import { TooSlowError, withinLimit } from './watchdog.ts';

const LONGEST_PATH = 1000;
const LENGTH_SUFFIX = '.length';
const MOST_VALUES = 100_000;
const DEEPEST = 500;

/** The functions of filters that take a regular expression. */
const regexFunction = (isWhole: boolean) => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, pattern: unknown) =>
    typeof text === 'string' && typeof pattern === 'string' && matchesIRegexp(text, pattern, isWhole),
});

const environment = new JSONPathEnvironment({ maxRecursionDepth: DEEPEST });
environment.functionRegister.set('match', regexFunction(true));
environment.functionRegister.set('search', regexFunction(false));

/**
 * The values a path selects (RFC 9535). An empty path selects the whole document, and a path may leave out `$.`.
 * Beyond the standard `.length` at the end counts an array's elements or a string's characters, as deployed
 * services of this API family have it; a member that really is named `length` goes first.
 */
export function select(document: JsonValue, property: string): Subject {
  const path = absolute(property.trim());
  if (path.length > LONGEST_PATH) {
    return { values: [], unusable: `the JSONPath is longer than ${LONGEST_PATH} characters` };
  }
  try {
    const found = run(document, path);
    if (found.values.length > 0) return found;
    return { values: lengths(document, path), absence: `${path} selects nothing` };
  } catch (error) {
    if (error instanceof TooSlowError)
      return { values: [], unusable: `the JSONPath ${path} ${error.message}` };
    if (error instanceof JSONPathRecursionLimitError)
      return { values: [], unusable: `the JSONPath ${path} descends more than ${DEEPEST} levels` };
    const reason = error instanceof Error ? error.message : String(error);
    return { values: [], unusable: `${path} is not a valid JSONPath: ${reason}` };
  }
}

function absolute(path: string): string {
  if (path === '') return '$';
  if (path.startsWith('$')) return path;
  return path.startsWith('[') ? `$${path}` : `$.${path}`;
}

/** Filters and descendants can multiply their work: hence the limits of time and of values. */
function run(document: JsonValue, path: string): Required<Pick<Subject, 'values' | 'largeIntegers'>> {
  return withinLimit(() => {
    const values: JsonValue[] = [];
    const largeIntegers = new Map<number, string>();
    for (const { value, location } of environment.lazyQuery(path, document as JSONValue)) {
      const integer = getLargeInteger(value) && integerAt(document, location);
      if (integer !== undefined) largeIntegers.set(values.length, integer);
      values.push(value as JsonValue);
      if (values.length > MOST_VALUES) throw new TooSlowError(`selects more than ${MOST_VALUES} values`);
    }
    return { values, largeIntegers };
  });
}

/** The text of the large integer at a place in a document. */
function integerAt(document: JsonValue, location: readonly (string | number)[]): string | undefined {
  let holder: object | undefined;
  let value: unknown = document;
  for (const key of location) {
    if (typeof value !== 'object' || value === null) return undefined;
    holder = value;
    value = Reflect.get(holder, key);
  }
  return getLargeInteger(value, holder, String(location.at(-1) ?? ''));
}

function lengths(document: JsonValue, path: string): readonly JsonValue[] {
  if (!path.endsWith(LENGTH_SUFFIX)) return [];
  const measured: number[] = [];
  for (const value of run(document, path.slice(0, -LENGTH_SUFFIX.length)).values) {
    if (!Array.isArray(value) && typeof value !== 'string') return [];
    measured.push(value.length);
  }
  return measured;
}

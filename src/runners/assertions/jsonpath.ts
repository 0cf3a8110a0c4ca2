/** Selects parts of a JSON document with the JSONPath of an assertion's `property`. */
import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathRecursionLimitError,
  type JSONValue,
} from 'json-p3';
import { getLargeInteger } from '../../base/exact-numbers.ts';
import type { JsonValue, Selection } from '../core/assertion.ts';
import { matchesIRegexp } from './pattern.ts';
import { runWithinLimit, TooSlowError } from './watchdog.ts';

const MAX_PATH_LENGTH = 1000;
const LENGTH_SUFFIX = '.length';
const MAX_VALUES = 100_000;
const MAX_DEPTH = 500;

/** Creates a filter function that takes a regular expression. */
const createRegexFunction = (isWhole: boolean, ignoreCase: boolean) => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, pattern: unknown) =>
    typeof text === 'string' &&
    typeof pattern === 'string' &&
    matchesIRegexp(text, pattern, { isWhole, ignoreCase }),
});

function createEnvironment(ignoreCase: boolean): JSONPathEnvironment {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH });
  environment.functionRegister.set('match', createRegexFunction(true, ignoreCase));
  environment.functionRegister.set('search', createRegexFunction(false, ignoreCase));
  return environment;
}

/**
 * Returns the values that a path selects (RFC 9535). An empty path selects the document, and `$.` is optional. As an
 * extension, `.length` at the end returns the length of an array or string, unless a member has that name.
 * `ignoreCase`: regular expressions of filters match in any case.
 */
export function selectJsonPath(document: JsonValue, property: string, ignoreCase = false): Selection {
  const environment = createEnvironment(ignoreCase);
  const path = toAbsolutePath(property.trim());
  if (path.length > MAX_PATH_LENGTH) {
    return { values: [], unusable: `the JSONPath is longer than ${MAX_PATH_LENGTH} characters` };
  }
  try {
    const found = runQuery(environment, document, path);
    if (found.values.length > 0) return found;
    return { values: selectLengths(environment, document, path), absence: `${path} selects nothing` };
  } catch (error) {
    if (error instanceof TooSlowError)
      return { values: [], unusable: `the JSONPath ${path} ${error.message}` };
    if (error instanceof JSONPathRecursionLimitError)
      return { values: [], unusable: `the JSONPath ${path} descends more than ${MAX_DEPTH} levels` };
    const reason = error instanceof Error ? error.message : String(error);
    return { values: [], unusable: `${path} is not a valid JSONPath: ${reason}` };
  }
}

function toAbsolutePath(path: string): string {
  if (path === '') return '$';
  if (path.startsWith('$')) return path;
  return path.startsWith('[') ? `$${path}` : `$.${path}`;
}

/** Runs a query with limits of time and values, because filters and descendants can multiply the work. */
function runQuery(
  environment: JSONPathEnvironment,
  document: JsonValue,
  path: string,
): Required<Pick<Selection, 'values' | 'largeIntegers'>> {
  return runWithinLimit(() => {
    const values: JsonValue[] = [];
    const largeIntegers = new Map<number, string>();
    for (const { value, location } of environment.lazyQuery(path, document as JSONValue)) {
      const integer = getLargeInteger(value) && findLargeInteger(document, location);
      if (integer !== undefined) largeIntegers.set(values.length, integer);
      values.push(value as JsonValue);
      if (values.length > MAX_VALUES) throw new TooSlowError(`selects more than ${MAX_VALUES} values`);
    }
    return { values, largeIntegers };
  });
}

/** Returns the text of the large integer at a location of a document. */
function findLargeInteger(document: JsonValue, location: readonly (string | number)[]): string | undefined {
  let holder: unknown;
  let value: unknown = document;
  for (const key of location) {
    holder = value;
    value = (holder as Readonly<Record<string | number, unknown>>)[key];
  }
  return getLargeInteger(value, holder as object | undefined, String(location.at(-1) ?? ''));
}

function selectLengths(
  environment: JSONPathEnvironment,
  document: JsonValue,
  path: string,
): readonly JsonValue[] {
  if (!path.endsWith(LENGTH_SUFFIX)) return [];
  const lengthsFound: number[] = [];
  for (const value of runQuery(environment, document, path.slice(0, -LENGTH_SUFFIX.length)).values) {
    if (!Array.isArray(value) && typeof value !== 'string') return [];
    lengthsFound.push(value.length);
  }
  return lengthsFound;
}

/** Selects parts of a JSON document by the JSONPath of an assertion's `property`. */
import { type JsonValue as LibraryValue, query } from 'jsonpath-rfc9535';
import type { JsonValue, Subject } from './types.ts';
import { TooSlowError, withinLimit } from './watchdog.ts';

const LONGEST_PATH = 1000;
const LENGTH_SUFFIX = '.length';

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
    const values = run(document, path);
    if (values.length > 0) return { values };
    return { values: lengths(document, path), absence: `${path} selects nothing` };
  } catch (error) {
    if (error instanceof TooSlowError)
      return { values: [], unusable: `the JSONPath ${path} ${error.message}` };
    const reason = error instanceof Error ? error.message : String(error);
    return { values: [], unusable: `${path} is not a JSONPath: ${reason}` };
  }
}

function absolute(path: string): string {
  if (path === '') return '$';
  if (path.startsWith('$')) return path;
  return path.startsWith('[') ? `$${path}` : `$.${path}`;
}

/** Filters and descendants can multiply their work, and filters may hold regular expressions; plain paths cannot. */
function run(document: JsonValue, path: string): readonly JsonValue[] {
  const work = () => query(document as LibraryValue, path) as readonly JsonValue[];
  return path.includes('?') || path.includes('..') ? withinLimit(work) : work();
}

function lengths(document: JsonValue, path: string): readonly JsonValue[] {
  if (!path.endsWith(LENGTH_SUFFIX)) return [];
  const measured: number[] = [];
  for (const value of run(document, path.slice(0, -LENGTH_SUFFIX.length))) {
    if (!Array.isArray(value) && typeof value !== 'string') return [];
    measured.push(value.length);
  }
  return measured;
}

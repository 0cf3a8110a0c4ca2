/** Reads a request's body as JSON without trusting it: bounded in depth and in number of values, no NUL, no prototype keys. */
import { Problem } from '../api/problem.ts';

export interface JsonLimits {
  /** How deep lists and objects may nest. */
  readonly maxDepth: number;
  /** How many values a body may hold in all; judging takes time for each. */
  readonly maxValues: number;
  /** Whether texts and names may hold what no store keeps: for what is stored as JSON, where that is written otherwise. */
  readonly allowUnstorable?: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** One pass over the bytes before anything is built: counts nesting and values outside of strings. */
function assertWithinLimits(bytes: Buffer, limits: JsonLimits): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (OPENING.includes(byte)) {
      values++;
      depth++;
      if (depth > limits.maxDepth)
        throw new Problem(400, `The body is nested more than ${limits.maxDepth} levels deep`);
    } else if (CLOSING.includes(byte)) depth--;
    if (values > limits.maxValues)
      throw new Problem(413, `The body contains more than ${limits.maxValues} values`);
  }
}

// A lone surrogate cannot be stored as UTF-8; NUL cuts strings short in SQLite and is refused by Postgres.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether a text holds a character that no store keeps. */
export const isUnstorable = (text: string): boolean => UNSTORABLE.test(text);

function assertStorable(text: string, label: string): void {
  if (isUnstorable(text))
    throw new Problem(400, `${label} contains a NUL character or an unpaired surrogate`);
}

/** Walks the built value: every key and text must be storable, and no key may reach a prototype. */
function assertStorableValue(value: unknown, path: string): void {
  if (typeof value === 'string') assertStorable(value, path || 'The body');
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertStorableValue(item, `${path}[${index}]`);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    assertStorable(key, 'A field name in the body');
    if (key === '__proto__') throw new Problem(400, 'The body contains a field named __proto__');
    assertStorableValue(item, path ? `${path}.${key}` : key);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON body; undefined where it is empty. Throws `Problem` 400 for what is not JSON, not UTF-8, nested too
 * deep, or holds a NUL or a `__proto__` key; 413 for too many values.
 */
export function parseJsonBody(bytes: Buffer, limits: JsonLimits): unknown {
  if (bytes.length === 0) return undefined;
  assertWithinLimits(bytes, limits);
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Problem(400, 'The body is not valid JSON', { cause });
  }
  if (!limits.allowUnstorable) assertStorableValue(value, '');
  return value;
}

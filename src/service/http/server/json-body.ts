/** Parses an untrusted JSON body: limited in depth and number of values, without NUL and prototype keys. */

import { describeExcess, formatPlace, placeOf } from '../../../base/depth.ts';
import { isUnstorable, UNSTORABLE_PROBLEM } from '../../../contract/storable.ts';
import { Problem } from '../api/problem.ts';

export interface JsonLimits {
  readonly maxDepth: number;
  /** Maximum number of values in a body: validation takes time for each. */
  readonly maxValues: number;
  /**
   * Whether strings may contain characters that the store cannot keep. For bodies whose text is encoded before it is
   * stored.
   */
  readonly allowUnstorable?: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** Counts nesting and values outside of strings in one pass, before anything is parsed. */
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
      if (depth > limits.maxDepth) throw tooDeep(bytes.toString('utf8', 0, index), limits.maxDepth);
    } else if (CLOSING.includes(byte)) depth--;
    if (values > limits.maxValues)
      throw new Problem(413, `The body contains more than ${limits.maxValues} values`);
  }
}

const tooDeep = (before: string, levels: number): Problem =>
  new Problem(400, `The body ${describeExcess(levels)} (${formatPlace(placeOf(before, before.length))})`);

function assertStorable(text: string, label: string): void {
  if (isUnstorable(text)) throw new Problem(400, `${label} ${UNSTORABLE_PROBLEM}`);
}

/** Throws unless every key and string can be stored and no key is `__proto__`. */
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
 * Returns the value of a JSON body, undefined if it is empty. Throws `Problem` 400 if the body is not JSON or UTF-8, is
 * nested too deep, or contains NUL or a `__proto__` key; 413 if it has too many values.
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

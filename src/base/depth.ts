/**
 * Limits how deep the texts of others nest: what reads, compares or prints a value needs a stack frame for each level. One rule
 * for JSON and YAML: a list or map that is one level too deep is refused before its value is built, with its place.
 */

import { findStringEnd } from './exact-numbers.ts';

/** Maximum nesting of a file, a flag or an answer. No resource of the API has a tenth of it. */
export const MAX_LEVELS = 500;

/** A place in a text. Both numbers begin at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Completes the sentence that a text or value begins: `stdin is nested deeper than 500 levels`. */
export const describeExcess = (levels: number = MAX_LEVELS): string =>
  `is nested deeper than ${levels} levels`;

/** Formats a place inside a sentence: `line 3, column 12`. */
export const formatPlace = ({ line, column }: Place): string => `line ${line}, column ${column}`;

/** Says that and where a text is nested too deep, after its subject. Undefined: it is not. */
export function explainExcess(text: string): string | undefined {
  const place = findExcess(text);
  return place && `${describeExcess()} (${formatPlace(place)})`;
}

/**
 * Returns the place of the first list or object of a JSON text that is deeper than `levels`. Undefined: none is. Its time is linear
 * in the text, which need not be valid; it builds no value.
 */
export function findExcess(text: string, levels: number = MAX_LEVELS): Place | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      at = findStringEnd(text, at);
      // The string has no end.
      if (at < 0) return undefined;
    } else if (character === 0x5b || character === 0x7b) {
      if (++depth > levels) return placeOf(text, at);
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  return undefined;
}

/** Returns the place of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  let line = 1;
  let start = 0;
  // A list of all lines would take more memory than the text.
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** The levels of each list and map whose parts are all known; 1: it holds no other. */
export type Heights = WeakMap<object, number>;

/**
 * Returns the levels of a value from those of its parts; 0 for a scalar, infinite for a list or map that holds itself, since its
 * own levels are not yet known. Aliases (`*name`) nest values where no text does.
 */
export function heightOf(value: unknown, heights: Heights): number {
  if (typeof value !== 'object' || value === null) return 0;
  let most = 0;
  for (const part of Object.values(value) as readonly unknown[]) {
    if (typeof part === 'object' && part !== null) most = Math.max(most, heights.get(part) ?? Infinity);
  }
  return most + 1;
}

/** Returns the keys that lead to a list or map deeper than `MAX_LEVELS` in a value of lists and maps, which may share parts or hold themselves. */
export function findDeepPath(root: unknown): readonly (string | number)[] | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const heights: Heights = new WeakMap();
  const open = [{ holder: root, keys: Object.keys(root), at: 0 }];
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const key = last.keys[last.at++];
    if (key === undefined) {
      heights.set(last.holder, heightOf(last.holder, heights));
      open.pop();
      continue;
    }
    const part: unknown = Reflect.get(last.holder, key);
    if (typeof part !== 'object' || part === null) continue;
    const height = heights.get(part);
    if (open.length + (height ?? 1) > MAX_LEVELS)
      return open.map(({ holder, keys, at }) => {
        const step = keys[at - 1] ?? '';
        return Array.isArray(holder) ? Number(step) : step;
      });
    if (height === undefined) open.push({ holder: part, keys: Object.keys(part), at: 0 });
  }
  return undefined;
}

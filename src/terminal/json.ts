/** Writes JSON that is safe to look at: what could drive a terminal is escaped, never dropped. */
import { stringifyExact } from '../base/exact-numbers.ts';

/**
 * JSON.stringify escapes C0, quotes and lone surrogates; these it leaves as they are. The runner of GitHub Actions takes
 * `##[name]` for a command wherever it stands.
 */
const UNSAFE_IN_JSON = /#(?=#\[)|[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Escapes, in a text that is JSON already, what may only stand inside its strings. */
export function escapeJson(json: string): string {
  return json.replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value as JSON without a final line break, numbers as they came: pretty (two spaces) or compact; control characters as `\uXXXX`. */
export function toJson(value: unknown, options: { pretty?: boolean } = {}): string {
  return escapeJson(stringifyExact(value, options.pretty ? 2 : undefined));
}

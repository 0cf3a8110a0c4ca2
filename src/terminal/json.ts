/** Writes JSON that is safe in a terminal: control characters are escaped, never dropped. */
import { stringifyExact } from '../base/exact-numbers.ts';
import { COMMAND_ANYWHERE } from './runner-commands.ts';

/**
 * Characters that JSON.stringify does not escape; it escapes only C0, quotes and lone surrogates. Runners of CI
 * systems execute some commands anywhere in a line.
 */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes unsafe characters in JSON text. They can only occur inside its strings. */
export function escapeJson(json: string): string {
  return json.replace(COMMAND_ANYWHERE, escapeCharacter).replace(UNSAFE_IN_JSON, escapeCharacter);
}

/**
 * Formats a value as JSON without a final line break, pretty (two spaces) or compact. Numbers are exact, control
 * characters `\uXXXX`.
 */
export function toJson(value: unknown, options: { pretty?: boolean } = {}): string {
  return escapeJson(stringifyExact(value, options.pretty ? 2 : undefined));
}

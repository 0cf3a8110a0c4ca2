/** Writes YAML. Lazy-loaded for `-o yaml`. */
import { Document, visit } from 'yaml';
import { type Replacer, serializeExact } from '../../base/exact-numbers.ts';

/**
 * Characters that the library does not escape: control (except tab and line feed), bidi, line separators, lone
 * surrogates.
 */
const UNSAFE =
  /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;
const EVERY_UNSAFE = new RegExp(UNSAFE.source, 'gu');

/**
 * Formats a value as YAML 1.2 that older parsers read alike. Numbers are exact; control characters are escaped in
 * double quotes.
 */
export const toYaml = (value: unknown): string =>
  serializeExact('', (replacer) => write(value ?? null, replacer));

function write(value: unknown, replacer: Replacer | undefined): string {
  const document = new Document(value, replacer ?? null, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && UNSAFE.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .replace(EVERY_UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

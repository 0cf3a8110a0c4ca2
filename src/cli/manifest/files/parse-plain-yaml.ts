/**
 * Parses plain YAML fast. The parser that knows positions takes several times as long, which is a large part of the time of a
 * plan, and is needed only for problems and for other syntax.
 */
import { CORE_SCHEMA, load } from 'js-yaml';
import { isObject, type JsonObject } from '../../../base/object.ts';

// Both parsers read these forms alike, as a property test shows. They differ in the keys null and -0, in line breaks within
// quotes, and in several kinds of invalid text.
const KEY = String.raw`(?!(?:null|Null|NULL|__proto__)\b)[A-Za-z_][\w-]*`;
const NUMBER = String.raw`-?[1-9]\d*(?:\.\d+)?|0(?:\.\d+)?`;
const DATE = String.raw`\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?`;
const QUOTED = String.raw`"[^"\\]*"|'[^']*'`;
const WORDS = String.raw`[A-Za-z/](?:[\w./@+=?&%~()$-]|,(?=\S)|:(?=\S)| (?=[\w/(]))*`;
const ITEM = String.raw`(?:[A-Za-z/][\w./@+-]*|${NUMBER}|${QUOTED})`;
const ITEMS = String.raw`\[ *(?:${ITEM}(?:, *${ITEM})*)? *\]`;
const PAIR = `${KEY}: +(?:${ITEM}|${ITEMS})`;
const LIST = String.raw`\[ *(?:(?:${PAIR}|${ITEM})(?:, *(?:${PAIR}|${ITEM}))*)? *\]`;
const MAP = String.raw`\{ *(?:${PAIR}(?:, *${PAIR})*)? *\}`;
const VALUE = `(?:${DATE}|${NUMBER}|${QUOTED}|${LIST}|${MAP}|${WORDS})`;
const LINE = new RegExp(`^(?: *(?:- )?(?:${KEY}:(?: +${VALUE})?|${VALUE})(?: +#.*)?| *#.*|) *$`);
const CONTROL = /(?!\n)\p{Cc}|[\u2028\u2029\ufeff]|\p{Surrogate}/u;

/** Returns the map in a text. Undefined: the text is not plain, or not valid. */
export function parsePlainYaml(text: string): JsonObject | undefined {
  if (CONTROL.test(text) || !text.split('\n').every((line) => LINE.test(line))) return undefined;
  try {
    const value = load(text, { schema: CORE_SCHEMA });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

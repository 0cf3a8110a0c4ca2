/** Takes out of foreign text what could drive a terminal or deceive its reader. */

/**
 * One alternative for every control character there is, tried from the longest meaning to the shortest, so that a single
 * pass leaves none behind and what is left can never join into a new sequence. A string sequence (OSC, DCS, APC, PM,
 * SOS) goes with its payload only when it is closed on the same line: an open one would hide all that follows it.
 */
const DANGEROUS = new RegExp(
  [
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d\\x9e\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '\\x1b[ -/]*[0-~]',
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]',
    '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]',
  ].join('|'),
  'g',
);

const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/g;
const LINE_BREAK_OR_TAB = /\r\n|[\t\n\r\u0085\u2028\u2029]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ONLY_PRINTABLE_ASCII = /^[ -~]*$/;

const defuse = (text: string): string => text.replace(DANGEROUS, '').replace(LONE_SURROGATE, '\ufffd');

/** Foreign text for one line or cell: defused, tabs and line breaks turned into spaces, nothing else cut. */
export function sanitizeLine(text: string): string {
  if (ONLY_PRINTABLE_ASCII.test(text)) return text;
  return defuse(text).replace(LINE_BREAK_OR_TAB, ' ');
}

/** Foreign text of several lines: defused, every kind of line break turned into `\n`; tabs stay. */
export function sanitizeBlock(text: string): string {
  if (ONLY_PRINTABLE_ASCII.test(text)) return text;
  return defuse(text).replace(LINE_BREAK, '\n');
}

/** More marks than any script puts on a letter, and more letters without a width than stand between any two. */
const PILE =
  /(\p{M}{8})\p{M}+|([\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]{4})[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]+/gu;
const MAY_PILE = /\u00ad|[\u0300-\uffff]/;

/** A text for a person without what piles up on a letter until it covers other lines, or hides between letters. */
export const withoutPiles = (text: string): string =>
  MAY_PILE.test(text) ? text.replace(PILE, '$1$2') : text;

/** Removes characters from untrusted text that could control a terminal, deceive its reader or break XML. */

/**
 * Matches every control character, the longest sequences first, so that one pass removes all and the rest cannot form a
 * new sequence. A string sequence (OSC, DCS, APC, PM, SOS) is removed with its payload only if it is closed on the same
 * line: an open one would remove all text after it.
 */
const DANGEROUS = new RegExp(
  [
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d\\x9e\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '\\x1b[ -/]*[0-~]',
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]',
    '[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufffe\\uffff]',
  ].join('|'),
  'g',
);

const LINE_BREAK = /\r\n|[\n\r\u0085]/g;
/** Terminals do not break lines here, and many programs do: in one line of the source they would cut it. */
const SEPARATOR = /[\u2028\u2029]/g;
const LINE_BREAK_OR_TAB = /\r\n|[\t\n\r\u0085\u2028\u2029]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ONLY_PRINTABLE_ASCII = /^[ -~]*$/;

const defuse = (text: string): string => text.replace(DANGEROUS, '').replace(LONE_SURROGATE, '\ufffd');

/** Sanitises untrusted text for one line or cell. Tabs and line breaks become spaces. */
export function sanitizeLine(text: string): string {
  if (ONLY_PRINTABLE_ASCII.test(text)) return text;
  return defuse(text).replace(LINE_BREAK_OR_TAB, ' ');
}

/** Sanitises untrusted text of several lines. Line breaks become `\n`, Unicode separators spaces; tabs are preserved. */
export function sanitizeBlock(text: string): string {
  if (ONLY_PRINTABLE_ASCII.test(text)) return text;
  return defuse(text).replace(LINE_BREAK, '\n').replace(SEPARATOR, ' ');
}

/** Joins untrusted text to one line with single spaces, of at most `maxLength` characters. */
export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // Long texts are cut first, so that megabytes cost little.
  const line = sanitizeLine(text.slice(0, maxLength * 8))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  const characters = [...line];
  return characters.length <= maxLength
    ? line
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}

/** Matches more combining marks on a letter, and more zero-width characters in a row, than any script uses. */
const PILE =
  /(\p{M}{8})\p{M}+|([\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]{4})[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]+/gu;
const MAY_PILE = /\u00ad|[\u0300-\uffff]/;

/** Removes excess combining marks, which cover other lines, and excess zero-width characters. */
export const withoutPiles = (text: string): string =>
  MAY_PILE.test(text) ? text.replace(PILE, '$1$2') : text;

/** Removes invisible characters from untrusted text for titles, subjects and plain-text messages. */

/** Control characters, direction marks (which can disguise a name) and characters that XML forbids. */
const INVISIBLE = /[^\P{Cc}\t\n\r]|[\p{Bidi_Control}\ufffe\uffff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Removes invisible characters and keeps line breaks. */
export const plain = (text: string): string =>
  text.replaceAll(INVISIBLE, '').replaceAll(LONE_SURROGATES, '\ufffd');

/** Joins text into one line, as mail headers and titles need. */
export const oneLine = (text: string): string =>
  plain(text.replaceAll(BREAKS, ' ')).replaceAll(/\s+/g, ' ').trim();

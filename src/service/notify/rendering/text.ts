/** Texts of strangers without what nobody can see: for titles, subjects, and messages that are no markup. */

/**
 * What no page, feed or message shows: control characters, what turns the direction of letters around (a name could
 * pretend to be another), and what XML cannot hold.
 */
const UNSHOWN = /[^\P{Cc}\t\n\r]|[\p{Bidi_Control}\ufffe\uffff]/gu;
const HALVES = /\p{Cs}/gu;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** A text without what nobody can see; its lines stay. */
export const plain = (text: string): string => text.replaceAll(UNSHOWN, '').replaceAll(HALVES, '\ufffd');

/** One line, whatever it was: a subject is a header, and a title has no room for a second. */
export const oneLine = (text: string): string =>
  plain(text.replaceAll(BREAKS, ' ')).replaceAll(/\s+/g, ' ').trim();

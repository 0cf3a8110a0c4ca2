/** Keeps one value from flooding a terminal; a program gets all of it. */

/** More than that of one value nobody reads on a screen; the scripts of checks are shorter. */
const MOST_CHARACTERS = 10_000;

/** The beginning of a text that is too long to be looked at, and how all of it can be seen. */
export const bounded = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}… (${text.length - MOST_CHARACTERS} more characters; --json shows all)`;

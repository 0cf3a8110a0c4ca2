/** Truncates a long value for a terminal. Output for programs is never truncated. */

/** The scripts of checks are shorter. */
const MAX_CHARACTERS = 10_000;

/** Returns the text, or its beginning and how to see the rest. */
export const truncateValue = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}… (${text.length - MAX_CHARACTERS} more characters; --json shows all)`;

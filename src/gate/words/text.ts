/** Shortens text from the service to one safe line, and joins several names or counts. */
import { oneLine } from '../../base/sanitize.ts';

const MAX_SCANNED = 10_000;
const MAX_MESSAGE = 500;
const MAX_NAME = 60;
const MAX_NAMES = 5;

/** Returns a non-empty string, or undefined for any other value. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Returns the first line that is not blank, with at most `maxLength` characters; undefined if there is none. */
export const firstLine = (text: string, maxLength = MAX_MESSAGE): string | undefined =>
  text
    .slice(0, MAX_SCANNED)
    .split(/[\r\n\u0085]/)
    .map((line) => oneLine(line, maxLength))
    .find((line) => line !== '');

/** Shortens a name or an ID for a sentence. */
export const shortName = (name: string): string => firstLine(name, MAX_NAME) ?? '';

/** Returns `A, B and 3 more`. */
export function listed(names: readonly string[], most = MAX_NAMES): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}

/** Counts equal words, in the order of their first occurrence: `3 failed`, `1 passed`. */
export function counted(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`);
}

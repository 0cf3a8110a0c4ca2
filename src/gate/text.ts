/** Foreign text in few words: one line, safe for every reader, bounded; and how several things are told in one. */
import { sanitizeLine } from '../terminal/index.ts';

/** Characters of a text that are looked at, and that are shown of a message. */
const MOST_READ = 10_000;
const LONGEST_MESSAGE = 300;
const LONGEST_NAME = 60;
const MOST_NAMES = 5;

/** The first line that says anything, at most `most` characters long; undefined where none does. */
export function firstLine(text: string, most = LONGEST_MESSAGE): string | undefined {
  const line = text
    .slice(0, MOST_READ)
    .split(/[\r\n\u0085\u2028\u2029]/)
    .map((each) => sanitizeLine(each).trim())
    .find((each) => each !== '');
  if (line === undefined) return undefined;
  const all = [...line];
  return all.length <= most ? line : `${all.slice(0, most - 1).join('')}…`;
}

/** A name or an id in a sentence. */
export const shortName = (name: string): string => firstLine(name, LONGEST_NAME) ?? '';

/** `A, B and 3 more`. */
export function listed(names: readonly string[], most = MOST_NAMES): string {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}

/** `3 failed`, `1 passed`: how often each word is given, in the order in which they first are. */
export function counted(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`);
}

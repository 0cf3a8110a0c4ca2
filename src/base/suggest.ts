/** Suggests corrections for unknown words, and formats the question. */
import { distance } from 'fastest-levenshtein';

/** A longer text is no misspelled word. Comparing it takes its length times that of each candidate. */
const LONGEST_WORD = 100;

/** Returns the most similar candidate, ignoring case, if one is similar enough. */
export const findNearest = (word: string, candidates: readonly string[]): string | undefined =>
  rankNearest(word, candidates, 1)[0];

/** Returns at most `maxResults` candidates, the most similar first. */
export function rankNearest(
  word: string,
  candidates: readonly string[],
  maxResults: number,
): readonly string[] {
  if (word.length > LONGEST_WORD) return [];
  const typed = word.toLowerCase();
  const ranked = [...new Set(candidates)].map((candidate) => ({
    candidate,
    distanceToTyped: distance(typed, candidate.toLowerCase()),
    // Swapped letters cost two edits: a candidate with the typed initial wins among equals.
    hasOtherInitial: Number(candidate[0]?.toLowerCase() !== typed[0]),
  }));
  return ranked
    .filter(({ distanceToTyped: apart }) => apart <= Math.max(2, word.length / 3))
    .sort((a, b) => a.distanceToTyped - b.distanceToTyped || a.hasOtherInitial - b.hasOtherInitial)
    .slice(0, maxResults)
    .map(({ candidate }) => candidate);
}

/** Formats the question after a mistake: `did you mean --name?` */
export function didYouMean(...near: readonly string[]): string {
  const last = near.at(-1) ?? '';
  return `did you mean ${near.length > 1 ? `${near.slice(0, -1).join(', ')} or ` : ''}${last}?`;
}

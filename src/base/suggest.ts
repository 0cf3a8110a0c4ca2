/** What was probably meant by a word that fits nothing, and the one wording in which it is asked. */
import { distance } from 'fastest-levenshtein';

/** The candidate that a person most likely meant, whatever its case, if any is near enough. */
export const findNearest = (word: string, candidates: readonly string[]): string | undefined =>
  rankNearest(word, candidates, 1)[0];

/** Returns at most `most` candidates that a person may have meant, the nearest first. */
export function rankNearest(word: string, candidates: readonly string[], most: number): readonly string[] {
  const typed = word.toLowerCase();
  const ranked = [...new Set(candidates)].map((candidate) => ({
    candidate,
    distanceToTyped: distance(typed, candidate.toLowerCase()),
    // Letters that changed places count twice: of what is as near, what begins as it was typed is meant.
    hasOtherInitial: Number(candidate[0]?.toLowerCase() !== typed[0]),
  }));
  return ranked
    .filter(({ distanceToTyped: apart }) => apart <= Math.max(2, word.length / 3))
    .sort((a, b) => a.distanceToTyped - b.distanceToTyped || a.hasOtherInitial - b.hasOtherInitial)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** The question that follows a mistake: what was probably meant, as it would be typed. */
export function didYouMean(...near: readonly string[]): string {
  const last = near.at(-1) ?? '';
  return `did you mean ${near.length > 1 ? `${near.slice(0, -1).join(', ')} or ` : ''}${last}?`;
}

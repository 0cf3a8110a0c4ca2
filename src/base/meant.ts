/** What was probably meant by a word that fits nothing, and the one wording in which it is asked. */
import { distance } from 'fastest-levenshtein';

/** The candidate that a person most likely meant, whatever its case, if any is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const apart = (candidate: string) => distance(typed, candidate.toLowerCase());
  // Letters that changed places count twice: of what is as near, what begins as it was typed is meant.
  const startsElse = (candidate: string) => Number(candidate[0]?.toLowerCase() !== typed[0]);
  const [near] = candidates.toSorted((a, b) => apart(a) - apart(b) || startsElse(a) - startsElse(b));
  return near !== undefined && apart(near) <= Math.max(2, word.length / 3) ? near : undefined;
}

/** The question that follows a mistake: what was probably meant, as it would be typed. */
export function didYouMean(...near: readonly string[]): string {
  const last = near.at(-1) ?? '';
  return `did you mean ${near.length > 1 ? `${near.slice(0, -1).join(', ')} or ` : ''}${last}?`;
}

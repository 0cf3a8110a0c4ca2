/** Replaces the names of a command line by the IDs that they resolve to. */
import type { ArgumentTarget } from './options.ts';

/** The resolved names and ID prefixes of a line. */
export interface ResolvedNames {
  /** The ID of each word, by `nameKey`. */
  readonly ids: ReadonlyMap<string, string>;
  /** The name of each resource, by its ID. */
  readonly names: ReadonlyMap<string, string>;
  /** Words that match no resource, if the command ignores missing resources. */
  readonly unknown: readonly string[];
}

export const NO_NAMES: ResolvedNames = { ids: new Map(), names: new Map(), unknown: [] };

export const nameKey = (of: ArgumentTarget, word: string): string => `${of} ${word}`;

/** Replaces words by their IDs and drops unknown words. */
export const replaceWithIds = (
  { ids, unknown }: ResolvedNames,
  of: ArgumentTarget | undefined,
  words: readonly string[],
): readonly string[] =>
  words.map((word) => (of && ids.get(nameKey(of, word))) ?? word).filter((word) => !unknown.includes(word));

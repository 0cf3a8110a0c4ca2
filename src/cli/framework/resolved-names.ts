/** What the names of a command line were resolved to, and how its words are read then. */
import type { Named } from './options.ts';

/** What the words of a line were resolved to. */
export interface ResolvedNames {
  /** The ID of each word, by `wordKey`; a word without one names nothing. */
  readonly ids: ReadonlyMap<string, string>;
  /** The name of each resource, by its ID. */
  readonly names: ReadonlyMap<string, string>;
  /** The words that name nothing, where that is no mistake. */
  readonly unknown: readonly string[];
}

export const NO_NAMES: ResolvedNames = { ids: new Map(), names: new Map(), unknown: [] };

export const wordKey = (of: Named, word: string): string => `${of} ${word}`;

/** The words with the IDs that they were resolved to; those that name nothing are left out. */
export const withIds = (
  { ids, unknown }: ResolvedNames,
  of: Named | undefined,
  words: readonly string[],
): readonly string[] =>
  words.map((word) => (of && ids.get(wordKey(of, word))) ?? word).filter((word) => !unknown.includes(word));

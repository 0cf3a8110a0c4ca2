/** Caches recent IDs in a file that only the user can read. It contains IDs and labels, and no keys. */
import { join } from 'node:path';
import { readSmallFile, writeFileAtomically } from '../../base/files.ts';
import { isObject } from '../../base/object.ts';
import { dataFolders, type Environment } from '../../profiles/folders.ts';
import type { Word } from './shells/completion.ts';

/** The age up to which words are used without a request, and up to which they are used if the service does not respond. */
const FRESH_MS = 15_000;
const STALE_MS = 10 * 60_000;
/** The pause after a failed request, so that not every key press waits for the service. */
const RETRY_AFTER_MS = 5000;

/** One cached list: `at`, the time of the response; `failedAt`, the time of the last failed request. */
interface CacheEntry {
  readonly at?: number;
  readonly failedAt?: number;
  readonly words: readonly Word[];
}

const isWord = (word: unknown): word is Word => isObject(word) && typeof word.value === 'string';

function readEntries(path: string, now: number): Map<string, CacheEntry> {
  try {
    const all: unknown = JSON.parse(readSmallFile(path));
    const entries = Object.entries(isObject(all) ? all : {}).flatMap(
      ([key, entry]): [string, CacheEntry][] => {
        if (!isObject(entry) || !Array.isArray(entry.words)) return [];
        const { at = 0, failedAt = 0 } = entry as { at?: unknown; failedAt?: unknown };
        if (typeof at !== 'number' || typeof failedAt !== 'number') return [];
        // Entries from the future are invalid: the clock was set back.
        const isPast = now - Math.max(at, failedAt) >= 0;
        const isValid = isPast && now - Math.max(at, failedAt) < STALE_MS;
        return isValid ? [[key, { at, failedAt, words: entry.words.filter(isWord) }]] : [];
      },
    );
    return new Map(entries);
  } catch {
    return new Map();
  }
}

/** Returns the path of the cache file. */
export const cacheFile = (env: Environment, home: string): string =>
  join(dataFolders(env, home).cache, 'completion.json');

/** Opens the cache in a file; `now`: milliseconds since the epoch. A write never rejects; undefined: the request failed. */
export function openCache(path: string, now: () => number) {
  return {
    async read(key: string) {
      const { at = 0, failedAt = 0, words = [] } = readEntries(path, now()).get(key) ?? {};
      const isKnown = now() - at < STALE_MS;
      return {
        words: isKnown ? words : [],
        /** No request is needed now. */
        isFresh: now() - at < FRESH_MS || now() - failedAt < RETRY_AFTER_MS,
      };
    },
    async write(key: string, words: readonly Word[] | undefined) {
      try {
        const entries = readEntries(path, now());
        const { at, words: before = [] } = entries.get(key) ?? {};
        const entry: CacheEntry = words
          ? { at: now(), words }
          : { ...(at === undefined ? {} : { at }), failedAt: now(), words: before };
        entries.set(key, entry);
        writeFileAtomically(path, JSON.stringify(Object.fromEntries(entries)));
      } catch {
        // Completion also works without a cache.
      }
    },
  };
}

/** What was learnt of recent ids a moment ago, in a file that only the user reads. It holds ids and labels, and no key. */
import { join } from 'node:path';
import { isObject } from '../../base/object.ts';
import { readSmallFile } from '../../base/small-file.ts';
import { putFile } from '../../base/write-file.ts';
import { dataFolders, type Environment } from '../../profiles/folders.ts';
import type { Word } from './types.ts';

/** How long what was learnt is shown without asking again, and how long while the service does not answer; in ms. */
const FRESH_MS = 15_000;
const STALE_MS = 10 * 60_000;
/** How long a service that did not answer is left alone, so that not every press of the key waits for it. */
const RETRY_AFTER_MS = 5000;

/** What is known of one list: `at`, when it was learnt; `failedAt`, when asking last went wrong. */
interface CacheEntry {
  readonly at?: number;
  readonly failedAt?: number;
  readonly words: readonly Word[];
}

export interface CachedWords {
  readonly words: readonly Word[];
  /** Whether the service need not be asked now. */
  readonly isFresh: boolean;
}

export interface CompletionCache {
  readEntries(key: string): Promise<CachedWords>;
  /** `words` undefined: the service did not answer. Never rejects. */
  write(key: string, words: readonly Word[] | undefined): Promise<void>;
}

const isWord = (word: unknown): word is Word => isObject(word) && typeof word.value === 'string';

function read(path: string, now: number): Map<string, CacheEntry> {
  try {
    const all: unknown = JSON.parse(readSmallFile(path));
    const entries = Object.entries(isObject(all) ? all : {}).flatMap(
      ([key, entry]): [string, CacheEntry][] => {
        if (!isObject(entry) || !Array.isArray(entry.words)) return [];
        const { at = 0, failedAt = 0 } = entry as { at?: unknown; failedAt?: unknown };
        if (typeof at !== 'number' || typeof failedAt !== 'number') return [];
        // A clock that was set back makes nothing new again.
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

/** Where the cache is. */
export const cacheFile = (env: Environment, home: string): string =>
  join(dataFolders(env, home).cache, 'completion.json');

/** The cache in a file; `now`: milliseconds since the epoch. */
export function openCache(path: string, now: () => number): CompletionCache {
  return {
    async readEntries(key) {
      const { at = 0, failedAt = 0, words = [] } = read(path, now()).get(key) ?? {};
      const isKnown = now() - at < STALE_MS;
      return {
        words: isKnown ? words : [],
        isFresh: now() - at < FRESH_MS || now() - failedAt < RETRY_AFTER_MS,
      };
    },
    async write(key, words) {
      try {
        const entries = read(path, now());
        const { at, words: before = [] } = entries.get(key) ?? {};
        const entry: CacheEntry = words
          ? { at: now(), words }
          : { ...(at === undefined ? {} : { at }), failedAt: now(), words: before };
        entries.set(key, entry);
        putFile(path, JSON.stringify(Object.fromEntries(entries)));
      } catch {
        // Without a cache it is slower, and no worse.
      }
    },
  };
}

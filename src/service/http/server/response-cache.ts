/**
 * Caches response texts until a table that they were read from changes. A cached response needs no query. No other part
 * of the API caches stored data.
 */
import type { ChangeCounts, TableName } from '../../store/index.ts';

/** Maximum total length of keys and texts. The least recently used entry is evicted first. */
const MAX_CHARACTERS = 2_000_000;
/** Longer entries are not cached. */
const MAX_ENTRY_CHARACTERS = 50_000;

export interface CachePolicy<Response> {
  /** All tables that the response is read from. It must depend on nothing else that changes, such as the time or the caller. */
  readonly tables: readonly TableName[];
  readonly isCacheable?: (response: Response) => boolean;
}

export interface EndpointCache {
  get(key: string): string | undefined;
  /** Returns the current version of the tables. Call it before the response is read, and pass it to `set`. */
  version(): number;
  set(key: string, response: unknown, text: string, version: number): void;
}

interface Entry {
  readonly text: string;
  readonly version: number;
}

/** Creates one cache for all endpoints of a service. Without `changes` nothing is cached. */
export function createResponseCache(changes: ChangeCounts | undefined, maxCharacters = MAX_CHARACTERS) {
  const entries = new Map<string, Entry>();
  let characters = 0;
  const sizeOf = (key: string, { text }: Entry) => key.length + text.length;

  function evict(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    characters -= sizeOf(key, entry);
  }
  function insert(key: string, entry: Entry): void {
    entries.set(key, entry);
    characters += sizeOf(key, entry);
    for (const oldestKey of entries.keys()) {
      if (characters <= maxCharacters) return;
      evict(oldestKey);
    }
  }

  return <Response>({ tables, isCacheable }: CachePolicy<Response>): EndpointCache | undefined =>
    changes && {
      get(key) {
        const entry = entries.get(key);
        if (entry === undefined) return undefined;
        evict(key);
        if (entry.version !== changes.sum(tables)) return undefined;
        insert(key, entry);
        return entry.text;
      },
      version: () => changes.sum(tables),
      set(key, response, text, version) {
        evict(key);
        if (isCacheable !== undefined && !isCacheable(response as Response)) return;
        const entry = { text, version };
        if (sizeOf(key, entry) <= MAX_ENTRY_CHARACTERS) insert(key, entry);
      },
    };
}

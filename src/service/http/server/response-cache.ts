/**
 * Answers that are known as text while nothing was written to the tables that they were read from: asked for again, they cost
 * no question to the store. The one place where the API remembers what the store holds.
 */
import type { Changes, TableName } from '../../store/index.ts';

/** So many characters are kept, keys and texts together; the answer that was asked for longest ago goes first. */
const MAX_CHARACTERS = 2_000_000;
/** Longer ones are not kept. */
const MAX_ENTRY_CHARACTERS = 50_000;

/** Of which answers of an endpoint the text may be kept. */
export interface CachePolicy<Answer> {
  /** All that the answer is read from. It must depend on nothing else that changes: neither on the time nor on who asks. */
  readonly tables: readonly TableName[];
  /** Left out: all of them. */
  readonly isCacheable?: (answer: Answer) => boolean;
}

/** The kept answers of one endpoint. */
export interface EndpointCache {
  /** The text as it would be made now; undefined where that is not known. */
  get(key: string): string | undefined;
  /** What stands now: to be taken before the answer is read, and handed to `learn` with it. */
  version(): number;
  set(key: string, answer: unknown, text: string, version: number): void;
}

interface Entry {
  readonly text: string;
  readonly version: number;
}

/** One memory for all endpoints of a service. Without `changes` it keeps nothing. */
export function createResponseCache(changes: Changes | undefined, maxCharacters = MAX_CHARACTERS) {
  const entries = new Map<string, Entry>();
  let characters = 0;
  const sizeOf = (key: string, { text }: Entry) => key.length + text.length;

  function evict(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    characters -= sizeOf(key, entry);
  }
  function insert(key: string, answer: Entry): void {
    entries.set(key, answer);
    characters += sizeOf(key, answer);
    for (const oldestKey of entries.keys()) {
      if (characters <= maxCharacters) return;
      evict(oldestKey);
    }
  }

  return <Answer>({ tables, isCacheable: isSettled }: CachePolicy<Answer>): EndpointCache | undefined =>
    changes && {
      get(key) {
        const entry = entries.get(key);
        if (entry === undefined) return undefined;
        evict(key);
        if (entry.version !== changes.of(tables)) return undefined;
        insert(key, entry);
        return entry.text;
      },
      version: () => changes.of(tables),
      set(key, answer, text, version) {
        evict(key);
        if (isSettled !== undefined && !isSettled(answer as Answer)) return;
        const entry = { text, version };
        if (sizeOf(key, entry) <= MAX_ENTRY_CHARACTERS) insert(key, entry);
      },
    };
}

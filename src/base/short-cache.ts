/** Caches a value for concurrent and closely following callers. */
import type { Clock } from './clock.ts';

interface Entry<Value> {
  readonly version: string;
  readonly value: Promise<Value>;
  /** Undefined while the value is being created. */
  createdAt: number | undefined;
}

export interface ShortCacheOptions {
  /** The maximum age of a value, in ms of the wall clock. */
  readonly ttlMs: number;
  /** The maximum number of values. The oldest one is evicted first. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Creates a cache whose function returns the value of a key: a cached one if the version matches and it is recent.
 * Failures are not cached.
 */
export function createShortCache<Value>({ ttlMs, maxEntries, clock }: ShortCacheOptions) {
  const entries = new Map<string, Entry<Value>>();
  // The wall clock may have been set back.
  const isFresh = ({ createdAt }: Entry<Value>) =>
    createdAt === undefined || Math.abs(clock.now() - createdAt) < ttlMs;

  return (key: string, version: string, create: () => Promise<Value>): Promise<Value> => {
    const known = entries.get(key);
    if (known?.version === version && isFresh(known)) return known.value;
    const entry: Entry<Value> = { version, value: create(), createdAt: undefined };
    entries.delete(key);
    entries.set(key, entry);
    const [first] = entries.keys();
    if (first !== undefined && entries.size > maxEntries) entries.delete(first);
    entry.value.then(
      () => {
        entry.createdAt = clock.now();
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry.value;
  };
}

/** Caches a value for concurrent and closely following callers. */
import type { Clock } from './clock.ts';

interface Entry<Value> {
  readonly version: string;
  readonly value: Promise<Value>;
  /** Undefined while the value is being created. */
  createdAt: number | undefined;
  bytes: number;
}

export interface ShortCacheOptions<Value> {
  /** The maximum age of a value, in ms of the wall clock. */
  readonly ttlMs: number;
  /** The maximum number of values. The oldest one is evicted first. */
  readonly maxEntries: number;
  /** The maximum size of all values. The oldest ones are evicted first. Default: no maximum. */
  readonly maxBytes?: number;
  /** Returns the size of a value. */
  readonly sizeOf?: (value: Value) => number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Creates a cache whose function returns the value of a key: a cached one if the version matches and it is recent.
 * Failures are not cached.
 */
export function createShortCache<Value>(options: ShortCacheOptions<Value>) {
  const { ttlMs, maxEntries, maxBytes = Number.POSITIVE_INFINITY, sizeOf = () => 0, clock } = options;
  const entries = new Map<string, Entry<Value>>();
  let totalBytes = 0;
  const remove = (key: string) => {
    totalBytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const evict = () => {
    for (const key of entries.keys()) {
      if (entries.size <= maxEntries && totalBytes <= maxBytes) return;
      remove(key);
    }
  };
  // The wall clock may have been set back.
  const isFresh = ({ createdAt }: Entry<Value>) =>
    createdAt === undefined || Math.abs(clock.now() - createdAt) < ttlMs;

  return (key: string, version: string, create: () => Promise<Value>): Promise<Value> => {
    const known = entries.get(key);
    if (known?.version === version && isFresh(known)) return known.value;
    const entry: Entry<Value> = { version, value: create(), createdAt: undefined, bytes: 0 };
    remove(key);
    entries.set(key, entry);
    evict();
    entry.value.then(
      (value) => {
        entry.createdAt = clock.now();
        if (entries.get(key) !== entry) return;
        entry.bytes = sizeOf(value);
        totalBytes += entry.bytes;
        evict();
      },
      () => {
        if (entries.get(key) === entry) remove(key);
      },
    );
    return entry.value;
  };
}

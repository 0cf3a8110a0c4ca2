/** Makes a value once for all who ask for it at the same time, or soon after. */
import type { Clock } from './clock.ts';

interface Entry<Value> {
  readonly version: string;
  readonly value: Promise<Value>;
  /** When it was made; undefined: it is being made. */
  createdAt: number | undefined;
}

export interface ShortCacheOptions {
  /** How old a value may be, in ms of the wall clock. */
  readonly ttlMs: number;
  /** How many values are remembered; beyond it, those made first go. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns the value of a key: one made before if it is of this version and not too old. A failure is not remembered. */
export function createShortCache<Value>({ ttlMs, maxEntries, clock }: ShortCacheOptions) {
  const entries = new Map<string, Entry<Value>>();
  // The wall clock may be set back.
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

/** Makes a value once for all who ask for it at the same time, or soon after. */
import type { Clock } from './clock.ts';

interface Entry<Value> {
  readonly version: string;
  readonly value: Promise<Value>;
  /** When it was made; undefined: it is being made. */
  madeAt: number | undefined;
}

export interface ShortCacheOptions {
  /** How old a value may be, in ms of the wall clock. */
  readonly ttlMs: number;
  /** How many values are remembered; beyond it, those made first go. */
  readonly most: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns the value of a key: one made before if it is of this version and not too old. A failure is not remembered. */
export function shortCache<Value>({ ttlMs, most, clock }: ShortCacheOptions) {
  const entries = new Map<string, Entry<Value>>();
  // The wall clock may be set back.
  const isFresh = ({ madeAt }: Entry<Value>) =>
    madeAt === undefined || Math.abs(clock.now() - madeAt) < ttlMs;

  return (key: string, version: string, make: () => Promise<Value>): Promise<Value> => {
    const known = entries.get(key);
    if (known?.version === version && isFresh(known)) return known.value;
    const made: Entry<Value> = { version, value: make(), madeAt: undefined };
    entries.delete(key);
    entries.set(key, made);
    const [first] = entries.keys();
    if (first !== undefined && entries.size > most) entries.delete(first);
    made.value.then(
      () => {
        made.madeAt = clock.now();
      },
      () => {
        if (entries.get(key) === made) entries.delete(key);
      },
    );
    return made.value;
  };
}

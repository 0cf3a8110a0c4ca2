/** Caches recently used API keys to save a query per request. Requires that no other process writes to the store. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first characters, to identify the key. */
  readonly masked: string;
  readonly createdAt: number;
  /** Precise to the minute; null if never. */
  readonly lastUsedAt: number | null;
}

/** Maximum number of cached keys; the oldest entry is evicted first. */
const MOST = 1000;

export interface RecentKeys {
  get(hash: string): ApiKey | undefined;
  /** Returns the cache version to pass to `learn` with a key read afterwards, which may have been revoked in between. */
  state(): number;
  /** Caches a key, unless `forget` was called since `state`. */
  learn(hash: string, key: ApiKey, state: number): void;
  /** Clears the cache before a key is revoked. The next request then reads the store after that transaction. */
  forget(): void;
}

export function recentKeys(): RecentKeys {
  const known = new Map<string, ApiKey>();
  let state = 0;
  return {
    get: (hash) => known.get(hash),
    state: () => state,
    learn(hash, key, since) {
      if (since !== state) return;
      const [first] = known.keys();
      if (known.size >= MOST && first !== undefined) known.delete(first);
      known.set(hash, key);
    },
    forget() {
      state += 1;
      known.clear();
    },
  };
}

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
const MAX_KEYS = 1000;

export interface ApiKeyCache {
  get(hash: string): ApiKey | undefined;
  /** Returns the cache version to pass to `add` with a key read afterwards, which may have been revoked in between. */
  version(): number;
  /** Caches a key, unless `clear` was called since `version`. */
  add(hash: string, key: ApiKey, version: number): void;
  /** Clears the cache before a key is revoked. The next request then reads the store after that transaction. */
  clear(): void;
}

export function createApiKeyCache(): ApiKeyCache {
  const keys = new Map<string, ApiKey>();
  let current = 0;
  return {
    get: (hash) => keys.get(hash),
    version: () => current,
    add(hash, key, version) {
      if (version !== current) return;
      const [oldest] = keys.keys();
      if (keys.size >= MAX_KEYS && oldest !== undefined) keys.delete(oldest);
      keys.set(hash, key);
    },
    clear() {
      current += 1;
      keys.clear();
    },
  };
}

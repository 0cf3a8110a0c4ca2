/** API keys that were shown lately, so that not every request asks the store: only where no other process writes to it. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Its first characters, to know it by. */
  readonly masked: string;
  readonly createdAt: number;
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null;
}

/** So many are known at once; the one that was learnt first goes first. */
const MOST = 1000;

export interface RecentKeys {
  get(hash: string): ApiKey | undefined;
  /** What is known now, to be handed to `learn` with what was read since: it may have been revoked meanwhile. */
  state(): number;
  /** Remembers a key as it was read, unless any was forgotten since `state`. */
  learn(hash: string, key: ApiKey, state: number): void;
  /** Forgets all: one was revoked, or is about to be. Who asks next waits for that transaction to end. */
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

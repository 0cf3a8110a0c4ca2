/** Creates keys and tokens, hashes them, as the store contains only hashes of keys, and caches recently used API keys. */
import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits from the system's random source, never from the injected one. */
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = 8;

/** A new secret with its stored hash and masked form. */
export interface Secret {
  /** Shown once. */
  readonly raw: string;
  readonly hash: string;
  readonly masked: string;
}

/** Creates a secret with the prefix of its kind: `sk_` for API keys, `pl_` for keys of private locations, `dk_` for dashboards. */
export function makeSecret(prefix: 'sk_' | 'pl_' | 'dk_'): Secret {
  const raw = prefix + randomBytes(SECRET_BYTES).toString('base64url');
  return { raw, hash: hashOf(raw), masked: `${raw.slice(0, SHOWN_CHARACTERS)}…` };
}

/**
 * Returns the hash by which a secret is stored and found. Comparing hashes does not leak the secret through timing, because
 * an attacker cannot choose the hash. 256 random bits need no slow hash.
 */
export function hashOf(raw: string): string {
  // The one-shot hash of newer Node versions costs half as much, and every request needs it.
  return crypto.hash?.('sha256', raw, 'hex') ?? crypto.createHash('sha256').update(raw).digest('hex');
}

/** Compares two texts in constant time. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));

/** Returns 256 random bits as text, for keys and tokens without a prefix. */
export const makeSecretText = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the secret part of a trigger's URL: 128 random bits. */
export function makeToken(): string {
  return randomBytes(16).toString('base64url');
}

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

/** Caches recently used API keys to save a query per request. Requires that no other process writes to the store. */
export type ApiKeyCache = ReturnType<typeof createApiKeyCache>;

export function createApiKeyCache() {
  const keys = new Map<string, ApiKey>();
  let current = 0;
  return {
    get: (hash: string) => keys.get(hash),
    /** Returns the cache version to pass to `add` with a key read afterwards, which may have been revoked in between. */
    version: () => current,
    /** Caches a key, unless `clear` was called since `version`. */
    add(hash: string, key: ApiKey, version: number): void {
      if (version !== current) return;
      const [oldest] = keys.keys();
      if (keys.size >= MAX_KEYS && oldest !== undefined) keys.delete(oldest);
      keys.set(hash, key);
    },
    /** Clears the cache before a key is revoked. The next request then reads the store after that transaction. */
    clear(): void {
      current += 1;
      keys.clear();
    },
  };
}

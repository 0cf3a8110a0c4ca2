/** Creates keys and tokens, and hashes them: the store contains only the hashes of keys. */
import crypto, { randomBytes } from 'node:crypto';

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

/** Creates a secret with the prefix of its kind: `sk_` for API keys, `pl_` for keys of private locations. */
export function makeSecret(prefix: 'sk_' | 'pl_'): Secret {
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

/** Returns 256 random bits as text, for keys and tokens without a prefix. */
export const makeSecretText = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the secret part of a trigger's URL: 128 random bits. */
export function makeToken(): string {
  return randomBytes(16).toString('base64url');
}

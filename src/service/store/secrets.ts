/** Keys that open a door: made here, stored only as a hash. */
import crypto, { randomBytes } from 'node:crypto';

/** 256 bits from the system's own source: never from the chance that tests hand in. */
const SECRET_BYTES = 32;
const SHOWN_CHARACTERS = 8;

/** A fresh secret and what is kept of it. */
export interface Secret {
  /** Shown once. */
  readonly raw: string;
  readonly hash: string;
  readonly masked: string;
}

/** With its kind in front: `sk_` an API key, `pl_` a key of a private location. */
export function makeSecret(prefix: 'sk_' | 'pl_'): Secret {
  const raw = prefix + randomBytes(SECRET_BYTES).toString('base64url');
  return { raw, hash: hashOf(raw), masked: `${raw.slice(0, SHOWN_CHARACTERS)}…` };
}

/**
 * What a secret is found by. Comparing hashes tells nothing of the secret by its time: who doesn't know the secret can't
 * choose its hash. A slow hash would add nothing to 256 random bits.
 */
export function hashOf(raw: string): string {
  // Newer Nodes hash in one go, at half the price: every request pays it.
  return crypto.hash?.('sha256', raw, 'hex') ?? crypto.createHash('sha256').update(raw).digest('hex');
}

/** 256 random bits as text, for keys and tokens that carry no kind of their own. */
export const makeSecretText = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The secret part of a trigger's URL: 128 bits. */
export function makeToken(): string {
  return randomBytes(16).toString('base64url');
}

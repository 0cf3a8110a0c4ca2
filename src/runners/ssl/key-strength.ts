/** Compares keys of all types by the size of an RSA key that is as strong (NIST SP 800-57 Part 1, table 2). */
import type { X509Certificate } from 'node:crypto';

export interface KeyStrength {
  /** The key with its article: `an EC key of 256 bits`. */
  readonly key: string;
  /** The size of an RSA key that is as strong, in bits. */
  readonly strength: number;
}

/** The sizes of EC keys from which they are as strong as an RSA key. */
const CURVE_STRENGTHS: readonly (readonly [bits: number, strength: number])[] = [
  [512, 15_360],
  [384, 7680],
  [256, 3072],
  [224, 2048],
  [160, 1024],
];

/** Types of keys with one size. */
const FIXED_KEYS: Readonly<Record<string, KeyStrength>> = {
  ed25519: { key: 'an Ed25519 key', strength: 3072 },
  ed448: { key: 'an Ed448 key', strength: 7680 },
  'ml-dsa-44': { key: 'an ML-DSA-44 key', strength: 3072 },
  'ml-dsa-65': { key: 'an ML-DSA-65 key', strength: 7680 },
  'ml-dsa-87': { key: 'an ML-DSA-87 key', strength: 15_360 },
};

const MODULUS_KEYS: Readonly<Record<string, string>> = {
  rsa: 'an RSA key',
  'rsa-pss': 'an RSA key',
  dsa: 'a DSA key',
};

/** Returns the strength of the key of a certificate; undefined if the key cannot be read. */
export function strengthOf(certificate: X509Certificate): KeyStrength | undefined {
  try {
    const { asymmetricKeyType: type = '', asymmetricKeyDetails: { modulusLength } = {} } =
      certificate.publicKey;
    const key = MODULUS_KEYS[type];
    if (key !== undefined && modulusLength !== undefined)
      return { key: `${key} of ${modulusLength} bits`, strength: modulusLength };
    return type === 'ec' ? curveStrength(certificate.toLegacyObject().bits) : FIXED_KEYS[type];
  } catch {
    // OpenSSL does not know the algorithm of the key.
    return undefined;
  }
}

function curveStrength(bits: number | undefined): KeyStrength | undefined {
  const [, strength] = CURVE_STRENGTHS.find(([least]) => bits !== undefined && bits >= least) ?? [];
  return strength === undefined ? undefined : { key: `an EC key of ${bits} bits`, strength };
}

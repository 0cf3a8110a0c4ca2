/** Names the algorithms that sign certificates and OCSP responses, and tells which are weak. */
import { constructed, type DerElement, formatObjectIdentifier, readElement, readSequence } from './der.ts';

export interface SignatureAlgorithm {
  /** `SHA-256 with RSA` */
  readonly name: string;
  /** The name of the hash in `node:crypto`; null if the algorithm has its own. */
  readonly digest: string | null;
  /** Whether the padding is PSS. */
  readonly isPss?: true;
}

/** Hashes for which collisions are known. */
const WEAK_DIGESTS: ReadonlySet<string> = new Set(['md2', 'md4', 'md5', 'sha1']);

export const isWeak = ({ digest }: SignatureAlgorithm): boolean => WEAK_DIGESTS.has(digest ?? '');

/** The hash and its name. */
const DIGESTS: Readonly<Record<string, string>> = {
  md2: 'MD2',
  md4: 'MD4',
  md5: 'MD5',
  sha1: 'SHA-1',
  sha224: 'SHA-224',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  'sha512-224': 'SHA-512/224',
  'sha512-256': 'SHA-512/256',
  'sha3-224': 'SHA3-224',
  'sha3-256': 'SHA3-256',
  'sha3-384': 'SHA3-384',
  'sha3-512': 'SHA3-512',
};

/** The hash and the key of an algorithm, by its object identifier. */
const HASH_AND_KEY: Readonly<Record<string, readonly [digest: string, key: string]>> = {
  '1.2.840.113549.1.1.2': ['md2', 'RSA'],
  '1.2.840.113549.1.1.3': ['md4', 'RSA'],
  '1.2.840.113549.1.1.4': ['md5', 'RSA'],
  '1.2.840.113549.1.1.5': ['sha1', 'RSA'],
  '1.2.840.113549.1.1.11': ['sha256', 'RSA'],
  '1.2.840.113549.1.1.12': ['sha384', 'RSA'],
  '1.2.840.113549.1.1.13': ['sha512', 'RSA'],
  '1.2.840.113549.1.1.14': ['sha224', 'RSA'],
  '1.2.840.113549.1.1.15': ['sha512-224', 'RSA'],
  '1.2.840.113549.1.1.16': ['sha512-256', 'RSA'],
  '2.16.840.1.101.3.4.3.13': ['sha3-224', 'RSA'],
  '2.16.840.1.101.3.4.3.14': ['sha3-256', 'RSA'],
  '2.16.840.1.101.3.4.3.15': ['sha3-384', 'RSA'],
  '2.16.840.1.101.3.4.3.16': ['sha3-512', 'RSA'],
  '1.3.14.3.2.3': ['md5', 'RSA'],
  '1.3.14.3.2.29': ['sha1', 'RSA'],
  '1.2.840.10040.4.3': ['sha1', 'DSA'],
  '1.3.14.3.2.27': ['sha1', 'DSA'],
  '2.16.840.1.101.3.4.3.1': ['sha224', 'DSA'],
  '2.16.840.1.101.3.4.3.2': ['sha256', 'DSA'],
  '2.16.840.1.101.3.4.3.3': ['sha384', 'DSA'],
  '2.16.840.1.101.3.4.3.4': ['sha512', 'DSA'],
  '1.2.840.10045.4.1': ['sha1', 'ECDSA'],
  '1.2.840.10045.4.3.1': ['sha224', 'ECDSA'],
  '1.2.840.10045.4.3.2': ['sha256', 'ECDSA'],
  '1.2.840.10045.4.3.3': ['sha384', 'ECDSA'],
  '1.2.840.10045.4.3.4': ['sha512', 'ECDSA'],
  '2.16.840.1.101.3.4.3.9': ['sha3-224', 'ECDSA'],
  '2.16.840.1.101.3.4.3.10': ['sha3-256', 'ECDSA'],
  '2.16.840.1.101.3.4.3.11': ['sha3-384', 'ECDSA'],
  '2.16.840.1.101.3.4.3.12': ['sha3-512', 'ECDSA'],
};

/** Algorithms that contain their hash. */
const WHOLE: Readonly<Record<string, string>> = {
  '1.3.101.112': 'Ed25519',
  '1.3.101.113': 'Ed448',
  '2.16.840.1.101.3.4.3.17': 'ML-DSA-44',
  '2.16.840.1.101.3.4.3.18': 'ML-DSA-65',
  '2.16.840.1.101.3.4.3.19': 'ML-DSA-87',
};

const PSS = '1.2.840.113549.1.1.10';
/** The hashes that the parameters of PSS name. */
const PSS_DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.4': 'sha224',
};

/** Reads an AlgorithmIdentifier; undefined if sonde does not know the algorithm, or if it is malformed. */
export function readSignatureAlgorithm(element: DerElement | undefined): SignatureAlgorithm | undefined {
  const [identifier, parameters] = readSequence(element);
  const oid = formatObjectIdentifier(identifier) ?? '';
  const whole = WHOLE[oid];
  if (whole !== undefined) return { name: whole, digest: null };
  if (oid === PSS) {
    const digest = readPssDigest(parameters);
    return digest === undefined
      ? undefined
      : { name: `${DIGESTS[digest]} with RSA-PSS`, digest, isPss: true };
  }
  const [digest, key] = HASH_AND_KEY[oid] ?? [];
  return digest === undefined ? undefined : { name: `${DIGESTS[digest]} with ${key}`, digest };
}

/** Returns the hash of PSS parameters, which is SHA-1 unless they name another. */
function readPssDigest(parameters: DerElement | undefined): string | undefined {
  const hash = readSequence(parameters).find(({ tag }) => tag === constructed(0));
  if (hash === undefined) return 'sha1';
  const [identifier] = readSequence(readElement(hash.content));
  return PSS_DIGESTS[formatObjectIdentifier(identifier) ?? ''];
}

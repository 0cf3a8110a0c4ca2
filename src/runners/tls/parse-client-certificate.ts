/**
 * Validates a client certificate, its private key and its authorities, and decrypts the key. Runs in the evaluator process,
 * because reading a key may take far longer than its length suggests.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import type { BodyOf, createClientCertificate } from '../../contract/index.ts';
import type { Evaluation } from '../core/runner.ts';
import { readElement, TAG } from './der.ts';

type Requested = BodyOf<typeof createClientCertificate>;

export interface ParsedClientCertificate {
  readonly host: string;
  readonly cert: string;
  /** Decrypted. */
  readonly key: string;
  readonly ca: string | null;
}

/** Why a field is invalid, as a predicate without a full stop. */
export interface CertificateRefusal {
  readonly field: keyof Requested;
  readonly message: string;
}

class Refused extends Error {
  readonly field: keyof Requested;
  constructor(field: keyof Requested, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * Highest cost of decrypting a key: its iterations, or the product N·r·p of scrypt. A key may ask for billions.
 */
const MAX_COST = 1_000_000;
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:[^-]|-(?!----))*-----END (?:[A-Z]+ )?PRIVATE KEY-----/g;
const ENCRYPTED_KEY = /^-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)-----END/;
/** The forms of keys whose reading computes nothing, unlike that of DSA and DH keys. */
const KEY_LABEL = /^-----BEGIN (?:(?:RSA|EC|ENCRYPTED) )?PRIVATE KEY-----/;
const PKCS8_KEY = /^-----BEGIN PRIVATE KEY-----([^-]*)-----END/;
/** Object identifiers of RSA, RSA-PSS, EC, Ed25519 and Ed448. */
const ALGORITHMS = ['2a864886f70d010101', '2a864886f70d01010a', '2a8648ce3d0201', '2b6570', '2b6571'];
const KEY_TYPES = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448'];
/** Each handshake signs with the key, in the process of the service. */
const MAX_RSA_BITS = 8192;
/** Highest ratio of an RSA key's length to its modulus: 4.5 and some headers. Longer exponents take longer to sign with. */
const MAX_RSA_RATIO = 6;
const UNSUPPORTED_KEY = `must be an RSA key of at most ${MAX_RSA_BITS} bits, or an EC, Ed25519 or Ed448 key`;
const ENCRYPTED_TRADITIONAL_KEY = /^Proc-Type: 4,ENCRYPTED/m;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g;
/** Excludes everything that a URL has besides a name: a port, a path, a percent-encoding. */
const NAME = /^[\p{L}\p{M}\p{N}._-]+$/u;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

const refuse = (field: keyof Requested, message: string) => new Refused(field, message);

/** Parses a requested certificate; `now`: ms since the epoch. */
export const clientCertificateParsing: Evaluation<
  { readonly requested: Requested; readonly now: number },
  { readonly certificate: ParsedClientCertificate } | { readonly refusal: CertificateRefusal }
> = {
  name: 'client-certificate',
  isCostly: true,
  run({ requested, now }) {
    try {
      return { certificate: parseClientCertificate(requested, now) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { refusal: { field: error.field, message: error.message } };
    }
  },
};

/**
 * Returns the certificate to store, with its key decrypted. Throws `Refused` if a part is invalid, if the certificate has
 * expired, or if the key does not belong to it.
 */
function parseClientCertificate(requested: Requested, now: number): ParsedClientCertificate {
  const host = parseHost(requested.host);
  const [leaf] = parseCertificates(requested.cert, 'cert');
  if (Date.parse(leaf.validTo) < now) throw refuse('cert', `expired on ${formatDay(leaf.validTo)}`);
  const key = parseKey(requested.key, requested.passphrase ?? '');
  if (!leaf.checkPrivateKey(key))
    throw refuse(
      'key',
      'does not belong to the certificate: send the key that the certificate was issued for',
    );
  if (requested.ca) parseCertificates(requested.ca, 'ca');
  const parsed = {
    host,
    cert: requested.cert,
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
    ca: requested.ca || null,
  };
  assertUsable(parsed);
  return parsed;
}

const formatDay = (text: string): string => new Date(text).toISOString().slice(0, 10);

/** Returns the host in lower case, with an international name in its ASCII form. */
function parseHost(text: string): string {
  const isWildcard = text.startsWith('*.');
  const name = isWildcard ? text.slice(2) : text;
  const ascii = NAME.test(name) ? domainToASCII(name.toLowerCase()) : '';
  const isName = ascii !== '' && ascii.length <= 253 && ascii.split('.').every((label) => LABEL.test(label));
  if (!(isWildcard ? isName && isIP(ascii) === 0 : isName || isIP(name) !== 0))
    throw refuse(
      'host',
      'must be a host name without scheme, port and path, such as api.example.com or *.example.com',
    );
  return isWildcard ? `*.${ascii}` : isName ? ascii : name.toLowerCase();
}

/** Returns the certificates of a PEM text, at least one. */
function parseCertificates(pem: string, field: 'cert' | 'ca'): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pem.match(CERTIFICATE) ?? [];
  if (first === undefined)
    throw refuse(field, 'must be a certificate in PEM format, which begins with -----BEGIN CERTIFICATE-----');
  const parse = (block: string): X509Certificate => {
    try {
      return new X509Certificate(block);
    } catch {
      throw refuse(field, 'contains a certificate that cannot be read: copy the whole PEM block');
    }
  };
  return [parse(first), ...others.map(parse)];
}

function parseKey(pem: string, passphrase: string): KeyObject {
  // Only one block is read, the one whose cost is checked.
  const [key, ...others] = pem.match(PRIVATE_KEY) ?? [];
  if (key === undefined || others.length > 0)
    throw refuse(
      'key',
      'must be one private key in PEM format, which begins with -----BEGIN PRIVATE KEY-----',
    );
  const plain = PKCS8_KEY.exec(key)?.[1];
  const isUnsupported = plain !== undefined && !hasSupportedAlgorithm(Buffer.from(plain, 'base64'));
  if (!KEY_LABEL.test(key) || isUnsupported) throw refuse('key', UNSUPPORTED_KEY);
  const encrypted = ENCRYPTED_KEY.exec(key)?.[1];
  const isEncrypted = encrypted !== undefined || ENCRYPTED_TRADITIONAL_KEY.test(key);
  if (isEncrypted && passphrase === '')
    throw refuse('passphrase', 'is required: the private key is encrypted');
  if (encrypted !== undefined && encryptionCost(Buffer.from(encrypted, 'base64')) > MAX_COST)
    throw refuse(
      'key',
      `takes too long to decrypt: encrypt it with at most ${MAX_COST} iterations, or with scrypt of N·r·p up to ${MAX_COST}`,
    );
  const parsed = readKey(key, passphrase, isEncrypted);
  const { asymmetricKeyType = '', asymmetricKeyDetails: { modulusLength = 0 } = {} } = parsed;
  const isRsaTooLong =
    modulusLength > 0 &&
    parsed.export({ type: 'pkcs8', format: 'der' }).length * 8 > modulusLength * MAX_RSA_RATIO;
  if (!KEY_TYPES.includes(asymmetricKeyType) || modulusLength > MAX_RSA_BITS || isRsaTooLong)
    throw refuse('key', UNSUPPORTED_KEY);
  return parsed;
}

function readKey(key: string, passphrase: string, isEncrypted: boolean): KeyObject {
  try {
    return createPrivateKey({ key, format: 'pem', passphrase });
  } catch {
    throw isEncrypted
      ? refuse('passphrase', 'does not decrypt the private key')
      : refuse('key', 'cannot be read: copy the whole PEM block');
  }
}

/** Throws `Refused` if TLS refuses the certificate or the key, for example because the key is too short. */
function assertUsable({ cert, key, ca }: ParsedClientCertificate): void {
  try {
    createSecureContext({ cert, key, ...(ca ? { ca } : {}) });
  } catch (error) {
    const { reason = 'unknown reason' } = error as { readonly reason?: string };
    throw refuse('cert', `cannot be used for TLS: ${reason}`);
  }
}

/** The object identifier 1.3.6.1.4.1.11591.4.11, of which a key derivation is scrypt. */
const SCRYPT = Buffer.from('2b06010401da47040b', 'hex');
/** Depth of the deepest valid algorithm: PBES2 with the parameters of its two parts. */
const MAX_DEPTH = 6;

/** Returns whether the algorithm of a PKCS #8 key (DER) is supported; true if it is malformed, so that reading it says so. */
function hasSupportedAlgorithm(der: Buffer): boolean {
  const key = readElement(der, 0);
  const version = key && readElement(key.content, 0);
  const algorithm = key && version && readElement(key.content, version.end);
  const identifier = algorithm && readElement(algorithm.content, 0);
  return identifier?.tag !== TAG.objectIdentifier || ALGORITHMS.includes(identifier.content.toString('hex'));
}

/** Returns the cost of the algorithm of an encrypted PKCS #8 key (DER); infinity if the key is malformed. */
function encryptionCost(der: Buffer): number {
  const key = readElement(der, 0);
  const algorithm = key?.tag === TAG.sequence ? readElement(key.content, 0) : undefined;
  return algorithm?.tag === TAG.sequence
    ? highestCost(algorithm.content, algorithm.content.includes(SCRYPT))
    : Number.POSITIVE_INFINITY;
}

/** Returns the highest integer, or with scrypt the highest product of the integers in one list. */
function highestCost(content: Buffer, isScrypt: boolean, depth = 0): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let highest = 0;
  let product = 1;
  for (let at = 0; at < content.length; ) {
    const element = readElement(content, at);
    if (element === undefined) return Number.POSITIVE_INFINITY;
    const { tag, content: inner, end } = element;
    if (tag === TAG.sequence) highest = Math.max(highest, highestCost(inner, isScrypt, depth + 1));
    if (tag === TAG.integer) {
      const integer = Number(BigInt(`0x0${inner.toString('hex')}`));
      product *= integer;
      highest = Math.max(highest, isScrypt ? product : integer);
    }
    at = end;
  }
  return highest;
}

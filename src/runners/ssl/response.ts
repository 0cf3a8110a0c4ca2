/** Describes the outcome of a handshake for assertions and for the result. */
import type { X509Certificate } from 'node:crypto';
import { daysLeftOf, expiryOf, isSelfIssued, nameOf, startOf, toIso } from '../tls/certificate.ts';
import type { Presented } from '../tls/handshake.ts';
import { alternativeNamesOf, formatAlternativeName } from '../tls/names.ts';
import type { Examination } from '../tls/problems.ts';

export interface CertificateFacts {
  readonly subjectCN: string | null;
  readonly issuerCN: string | null;
  readonly sans: readonly string[];
  readonly serialNumber: string;
  readonly fingerprintSha256: string;
  readonly issuerFingerprintSha256: string | null;
  /** ISO 8601; null for a date that does not exist. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Whole days; negative after the expiry. */
  readonly daysUntilExpiry: number | null;
  readonly keyAlgorithm: string | null;
  readonly keySizeBits: number | null;
  readonly selfSigned: boolean;
}

/** The outcome of a handshake. */
export interface SslResponse {
  readonly resolvedIp: string;
  /** `TLS1.3` */
  readonly tlsVersion: string | null;
  readonly cipherSuite: string | null;
  readonly handshakeTimeMs: number;
  readonly hostnameVerified: boolean;
  readonly chainTrusted: boolean;
  /** Code of the reason why the chain is not trusted. */
  readonly chainTrustReason: string | null;
  /** Days of `expiresFirst`. */
  readonly daysUntilExpiry: number | null;
  /** The certificate that expires first: that of the server, or an issuer on its verified path. */
  readonly expiresFirst: CertificateFacts;
  readonly certificate: CertificateFacts & { readonly isCA: boolean };
  /** The issuers on the path to the root, beginning with that of the certificate. */
  readonly chain: readonly CertificateFacts[];
}

/** Maximum number of issuers in a result, because servers choose what they send. */
const MAX_CHAIN = 9;
/** Maximum number of names of a certificate in a result. */
const MAX_NAMES = 100;

export function toResponse(
  { protocol, cipher }: Presented,
  { leaf, path: { certificates }, expiresFirst, isNameRight, refusal }: Examination,
  resolvedIp: string,
  handshakeTimeMs: number,
  now: number,
): SslResponse {
  const describe = (certificate: X509Certificate): CertificateFacts =>
    describeCertificate(certificate, certificates[certificates.indexOf(certificate) + 1], now);
  return {
    resolvedIp,
    tlsVersion: protocol?.replace('TLSv', 'TLS') ?? null,
    cipherSuite: cipher?.standardName ?? null,
    handshakeTimeMs,
    hostnameVerified: isNameRight,
    chainTrusted: refusal === null,
    chainTrustReason: refusal,
    daysUntilExpiry: daysLeftOf(expiresFirst, now),
    expiresFirst: describe(expiresFirst),
    certificate: { ...describe(leaf), isCA: leaf.ca },
    chain: certificates.slice(1).map(describe),
  };
}

/** Returns the response as the result contains it. Assertions examine all of it. */
export function toStoredResponse(response: SslResponse): SslResponse {
  const limit = <Facts extends CertificateFacts>(facts: Facts): Facts => ({
    ...facts,
    sans: facts.sans.slice(0, MAX_NAMES),
  });
  const { certificate, chain, expiresFirst } = response;
  return {
    ...response,
    certificate: limit(certificate),
    chain: chain.slice(0, MAX_CHAIN).map(limit),
    expiresFirst: limit(expiresFirst),
  };
}

function describeCertificate(
  certificate: X509Certificate,
  issuer: X509Certificate | undefined,
  now: number,
): CertificateFacts {
  const { fingerprint256, serialNumber } = certificate;
  const { bits, modulus, asn1Curve } = certificate.toLegacyObject();
  const selfSigned = isSelfIssued(certificate);
  return {
    subjectCN: nameOf(certificate),
    issuerCN: nameOf(certificate, 'issuer'),
    sans: alternativeNamesOf(certificate).map(formatAlternativeName),
    serialNumber,
    fingerprintSha256: fingerprint256,
    issuerFingerprintSha256: selfSigned ? fingerprint256 : (issuer?.fingerprint256 ?? null),
    validFrom: toIso(startOf(certificate)),
    validTo: toIso(expiryOf(certificate)),
    daysUntilExpiry: daysLeftOf(certificate, now),
    keyAlgorithm: modulus !== undefined ? 'RSA' : asn1Curve ? 'ECDSA' : null,
    keySizeBits: bits ?? null,
    selfSigned,
  };
}

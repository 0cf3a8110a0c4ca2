/** Reads the properties of one certificate. */
import type { X509Certificate } from 'node:crypto';
import { oneLine } from '../../base/sanitize.ts';
import { alternativeNamesOf, formatAlternativeName } from './names.ts';

const DAY_MS = 86_400_000;
export const MAX_NAME_LENGTH = 100;

/** The properties of a certificate that results of HTTP and browser checks contain. */
export interface CertificateSummary {
  readonly subject: string | null;
  readonly issuer: string | null;
  /** ISO 8601; null for a date that does not exist. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string;
}

export const summarizeCertificate = (certificate: X509Certificate): CertificateSummary => ({
  subject: nameOf(certificate),
  issuer: nameOf(certificate, 'issuer'),
  validFrom: toIso(startOf(certificate)),
  validTo: toIso(expiryOf(certificate)),
  fingerprint: certificate.fingerprint256,
});

/** Returns milliseconds since the epoch; NaN for a date that does not exist. */
export const startOf = ({ validFrom }: X509Certificate): number => Date.parse(validFrom);
export const expiryOf = ({ validTo }: X509Certificate): number => Date.parse(validTo);

export const isValidAt = (certificate: X509Certificate, now: number): boolean =>
  startOf(certificate) <= now && expiryOf(certificate) > now;

/** Returns the whole days until the certificate expires; negative after that, null for a date that does not exist. */
export function daysLeftOf(certificate: X509Certificate, now: number): number | null {
  const days = Math.floor((expiryOf(certificate) - now) / DAY_MS);
  return Number.isNaN(days) ? null : days;
}

/** Formats an instant as ISO 8601; null for a date that does not exist. */
export const toIso = (instant: number): string | null =>
  Number.isNaN(instant) ? null : new Date(instant).toISOString();

/** Returns whether the certificate names itself as its issuer. */
export const isSelfIssued = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && certificate.checkIssued(certificate);

/** Returns the common name of the subject or issuer, or else its organisation. It may have several. */
export function nameOf(certificate: X509Certificate, whose: 'subject' | 'issuer' = 'subject'): string | null {
  const { CN, O } = certificate.toLegacyObject()[whose] ?? {};
  const name = CN ?? O;
  return (Array.isArray(name) ? name[0] : name) ?? null;
}

/** Quotes the name of a certificate for a message: its subject, or else its first alternative name or its number. */
export function quoteName(certificate: X509Certificate): string {
  const [first] = alternativeNamesOf(certificate);
  const name = nameOf(certificate) ?? (first && formatAlternativeName(first)) ?? certificate.serialNumber;
  return `"${oneLine(name, MAX_NAME_LENGTH)}"`;
}

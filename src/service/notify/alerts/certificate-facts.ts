/** Formats an alert about a certificate that expires soon. */
import { plural } from '../../../base/plural.ts';
import { oneLine } from '../../../base/sanitize.ts';

const DAY_MS = 86_400_000;
/** Maximum number of checks that a message names. */
const MAX_NAMED_CHECKS = 20;

export interface CertificateFacts {
  /** `example.com`, with the port unless it is 443. */
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string;
  /** Names of the checks that saw it. */
  readonly checks: readonly string[];
}

/** Returns the whole days from `at` to the expiry. */
export const daysLeftOf = ({ expiresAt }: Pick<CertificateFacts, 'expiresAt'>, at: number): number =>
  Math.floor((expiresAt - at) / DAY_MS);

export function formatCertificateTitle(certificate: CertificateFacts, at: number): string {
  const days = daysLeftOf(certificate, at);
  const when = days < 1 ? 'in less than a day' : `in ${plural(days, 'day')}`;
  return `Certificate of ${oneLine(certificate.host)} expires ${when}`;
}

/** Returns the names of the checks on one line. */
export function formatCheckNames({ checks }: CertificateFacts): string {
  const named = checks.slice(0, MAX_NAMED_CHECKS).map((name) => oneLine(name));
  const others = checks.length - named.length;
  return [...named, ...(others === 0 ? [] : [`and ${plural(others, 'other check')}`])].join(', ');
}

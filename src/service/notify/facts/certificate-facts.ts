/** Formats an alert about a certificate that expires soon. */
import { plural } from '../../../base/plural.ts';
import { oneLine } from '../../../base/sanitize.ts';

const DAY_MS = 86_400_000;
/** Maximum number of checks, and of hosts, that a message names. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 100;

export interface CertificateFacts {
  /** Where it was seen, sorted, at least one: `example.com`, with the port unless it is 443. */
  readonly hosts: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** SHA-256, in hex with colons. */
  readonly fingerprint: string;
  /** Name of the certificate if it is that of an issuer of the hosts' own. */
  readonly authority?: string;
  /** Names of the checks that saw it. */
  readonly checks: readonly string[];
}

/** Returns the whole days from `at` to the expiry. */
export const daysLeftOf = ({ expiresAt }: Pick<CertificateFacts, 'expiresAt'>, at: number): number =>
  Math.floor((expiresAt - at) / DAY_MS);

/** Formats `Certificate of shop.example.com and 29 other hosts expires in 12 days`, or `Certificate "R11" in the chain of …`. */
export function formatCertificateTitle(certificate: CertificateFacts, at: number): string {
  const days = daysLeftOf(certificate, at);
  const [host = '', ...others] = certificate.hosts;
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'other host')}`;
  const when = days < 1 ? 'in less than a day' : `in ${plural(days, 'day')}`;
  const which =
    certificate.authority === undefined
      ? ''
      : `"${oneLine(certificate.authority, MAX_NAME_LENGTH)}" in the chain `;
  return `Certificate ${which}of ${oneLine(host)}${more} expires ${when}`;
}

/** Returns the names of checks or hosts on one line. `noun`: what they are, in the singular. */
export function formatNames(names: readonly string[], noun: string, most = MAX_NAMES): string {
  const named = names.slice(0, most).map((name) => oneLine(name));
  const others = names.length - named.length;
  return [...named, ...(others === 0 ? [] : [`and ${plural(others, `other ${noun}`)}`])].join(', ');
}

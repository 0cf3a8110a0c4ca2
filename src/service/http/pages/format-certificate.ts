/** Formats what results say about certificates. Stored details are untrusted. */
import type { JsonObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { explainRefusal } from '../../../runners/network/tls-errors.ts';
import { asNumber, asObject, asText } from './run-components.ts';

export const formatYesOrNo = (value: unknown): string | undefined =>
  typeof value === 'boolean' ? (value ? 'Yes' : 'No') : undefined;

/** Formats whether the chain of an SSL check is trusted: `No: the issuer is not known`. */
export function formatChainTrust({ chainTrusted, chainTrustReason }: JsonObject): string | undefined {
  const code = asText(chainTrustReason);
  return code === undefined ? formatYesOrNo(chainTrusted) : `No: ${explainRefusal(code).reason}`;
}

/** Formats the certificate of an HTTP or browser check: its problem, or `9 days left (R11 expires first)`. */
export function formatCertificate({
  problem,
  daysLeft,
  fingerprint,
  expiresFirst,
}: JsonObject): string | undefined {
  const days = asNumber(daysLeft);
  const left = days === undefined ? undefined : `${plural(days, 'day')} left`;
  return asText(problem) ?? (left && left + formatFirstExpiry(fingerprint, asObject(expiresFirst)));
}

/** Formats the days that an SSL check counts, and which certificate they are of. */
export function formatCountedDays({
  daysUntilExpiry,
  certificate,
  expiresFirst,
}: JsonObject): string | undefined {
  const { subjectCN: subject, fingerprintSha256: fingerprint } = asObject(expiresFirst);
  const days = asNumber(daysUntilExpiry)?.toString();
  return days && days + formatFirstExpiry(asObject(certificate).fingerprintSha256, { subject, fingerprint });
}

/** Names the certificate that expires first, if it is not that of the server. */
function formatFirstExpiry(ownFingerprint: unknown, { subject, fingerprint }: JsonObject): string {
  const isOwn = asText(fingerprint) === undefined || fingerprint === ownFingerprint;
  return isOwn ? '' : ` (${asText(subject) ?? 'an issuer'} expires first)`;
}

/** Describes the certificate that the last result of a check saw. */
import { SondeError } from '../../../base/errors.ts';
import { isObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { oneLine } from '../../../base/sanitize.ts';
import { type CheckType, isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import { getCheckStatus, listCheckResults } from '../../../contract/index.ts';
import { namedCertificateOf } from '../../../contract/measured-facts.ts';
import type { Deps } from '../../framework/index.ts';
import type { Check } from '../check-status.ts';

const DAY_MS = 86_400_000;
/** The longest time range of a list of results, in seconds. */
const MAX_RANGE = 21_600;

const TLS_TYPES: readonly CheckType[] = ['API', 'SSL', 'URL'];

/** Returns whether results of the check may contain a certificate. */
const mayUseTls = (check: Check): boolean =>
  TLS_TYPES.some((type) => type === check.checkType) ||
  ('sslCheckDomain' in check && Boolean(check.sslCheckDomain));

/** Returns `shop.example.com, issued by R11, expires in 61 days`; undefined if no certificate is known. */
export async function describeCertificate(
  { client, signal, clock }: Pick<Deps, 'client' | 'signal' | 'clock'>,
  check: Check,
): Promise<string | undefined> {
  const { id, checkType } = check;
  if (!mayUseTls(check) || !isCheckType(checkType)) return undefined;
  const once = { signal, retry: false };
  try {
    const api = await client();
    const { body: status } = await api.call(getCheckStatus, { params: { checkId: id } }, once);
    const { sslDaysRemaining: days, updated_at: updatedAt } = status;
    if (typeof days !== 'number' || typeof updatedAt !== 'string') return undefined;
    const to = Math.floor(Date.parse(updatedAt) / 1000) + 1;
    const query = { from: to - MAX_RANGE, to, limit: 1 };
    const { body } = await api.call(listCheckResults, { params: { checkId: id }, query }, once);
    const details = body.entries[0]?.[CHECK_TYPES[checkType].resultField];
    const certificate = isObject(details) ? namedCertificateOf(details) : null;
    if (certificate === null) return formatExpiry(days);
    const { subject, host, issuer, expiresAt } = certificate;
    // Servers choose the names: a line break must not look like another fact.
    return oneLine(
      [
        subject ?? host,
        ...(issuer === null ? [] : [`issued by ${issuer}`]),
        formatExpiry(Math.floor((expiresAt - clock.now()) / DAY_MS)),
      ].join(', '),
    );
  } catch (error) {
    // The card is complete without it.
    if (error instanceof SondeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Formats whole days, which are negative after the expiry. */
function formatExpiry(days: number): string {
  if (days < 0) return `expired ${plural(-days, 'day')} ago`;
  return days === 0 ? 'expires in less than a day' : `expires in ${plural(days, 'day')}`;
}

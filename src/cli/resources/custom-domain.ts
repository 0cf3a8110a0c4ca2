/** Describes the custom domain of a status page or a dashboard, and how to verify it. */
import type { StatusPage } from '../../contract/resources/status-page.ts';
import { sanitizeLine } from '../../terminal/index.ts';

export type DomainFields = Pick<StatusPage, 'customDomain' | 'customDomainStatus' | 'customDomainChallenge'>;

/** Returns the domain, with its status unless the page is served there. */
export const formatDomain = ({ customDomain, customDomainStatus }: DomainFields): string | undefined =>
  customDomain ? `${customDomain}${customDomainStatus === 'UNVERIFIED' ? ' (unverified)' : ''}` : undefined;

/** Returns how to verify the domain of a page; undefined if there is nothing to verify. `command`: the one that verifies it. */
export function describeVerification(
  { customDomain, customDomainChallenge: challenge }: DomainFields,
  command: () => string,
): string | undefined {
  const { recordName, recordType, recordValue, fileUrl } = challenge ?? {};
  if (!customDomain || !recordName || !recordType || !recordValue || !fileUrl) return undefined;
  return [
    `The page is not served at ${customDomain}, because the domain is not verified. Create this DNS record:`,
    `  ${recordName}. ${recordType} "${recordValue}"`,
    `or serve the value of the record as a text file at ${fileUrl}. Then run:`,
    `  ${command()}`,
  ]
    .map(sanitizeLine)
    .join('\n');
}

/** Validates and normalizes e-mail and web addresses. */

import { domainToASCII } from 'node:url';
import { parseUrl } from './parse-url.ts';

const MAX_EMAIL_LENGTH = 254;
/** Rejects characters that could start a second address or a header, although the grammar of addresses allows them. */
const EMAIL =
  /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*\p{L}[\p{L}\p{N}-]*)$/u;

/**
 * Returns the host of one e-mail address (`mail.example.com`, or `localhost` in a network), undefined for other text.
 */
export const parseEmailHost = (text: string): string | undefined =>
  text.length > MAX_EMAIL_LENGTH ? undefined : EMAIL.exec(text)?.[1];

/** Returns the form in which e-mail addresses are compared. No server has two mailboxes that differ only in case. */
export function normalizeEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return local.normalize('NFC').toLowerCase() + (domainToASCII(domain) || domain.toLowerCase());
}

/** Parses an http or https URL; returns undefined for other text. */
export function parseWebUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url !== undefined && ['https:', 'http:'].includes(url.protocol) ? url : undefined;
}

/** What may be an address that messages leave for. Pure. */
import { domainToASCII } from 'node:url';

const MAX_EMAIL_LENGTH = 254;
/** What could be taken for a second address or a header stays out, though the grammar of addresses knows it. */
const EMAIL =
  /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*\p{L}[\p{L}\p{N}-]*)$/u;

/** The host of one e-mail address (`mail.example.com`, or `localhost` within a network); undefined for anything else. */
export const parseEmailHost = (text: string): string | undefined =>
  text.length > MAX_EMAIL_LENGTH ? undefined : EMAIL.exec(text)?.[1];

/** Returns the form by which e-mail addresses are compared: servers know no two mailboxes that differ in case only. */
export function normalizeEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return local.normalize('NFC').toLowerCase() + (domainToASCII(domain) || domain.toLowerCase());
}

/** An address on the web; undefined for any other scheme and for what is no address. */
export function parseWebUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ['https:', 'http:'].includes(url.protocol) ? url : undefined;
}

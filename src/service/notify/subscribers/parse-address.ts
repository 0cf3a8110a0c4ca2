/** Parses the addresses of subscribers. Pure. */
import { domainToASCII } from 'node:url';
import { normalizeEmail, parseEmailHost, parseWebUrl } from '../../../base/addresses.ts';
import type { SubscriberKind } from '../../store/index.ts';

const MAX_URL_LENGTH = 2000;
const MAX_LABEL_LENGTH = 63;
/** Dot-separated atoms. Excludes %, ! and /, which may route mail elsewhere, and |, which may run a program. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}#$&'*+=?^_`{}~-]+(?:\.[\p{L}\p{M}\p{N}#$&'*+=?^_`{}~-]+)*$/u;

/** Returns whether a domain can be public: it has a dot and valid DNS labels. */
const isPublicHost = (host: string): boolean =>
  host.includes('.') &&
  (domainToASCII(host) || host).split('.').every((label) => label.length <= MAX_LABEL_LENGTH);

/** Returns the address in canonical form, or what is wrong with it as a sentence. */
export function parseAddress(
  kind: SubscriberKind,
  input: string,
): { readonly address: string } | { readonly problem: string } {
  const text = input.trim();
  if (kind === 'EMAIL') {
    // A name without a dot would lead into the network of the service.
    const host = parseEmailHost(text);
    const at = text.lastIndexOf('@');
    if (host === undefined || !isPublicHost(host) || !LOCAL_PART.test(text.slice(0, at)))
      return { problem: 'Enter an e-mail address, such as name@example.com.' };
    return { address: text.slice(0, at) + text.slice(at).toLowerCase() };
  }
  const url = parseWebUrl(text);
  if (url === undefined || url.href.length > MAX_URL_LENGTH)
    return { problem: 'Enter a URL that starts with https://.' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'Enter the URL without a user name and password.' };
  url.hash = '';
  return { address: url.href };
}

/** Providers that ignore dots before the @. */
const DOT_INSENSITIVE_DOMAINS = ['gmail.com', 'googlemail.com'];

/**
 * Returns the key for rate limits: an e-mail address without its tag (`name+tag@`), or a webhook without its query.
 * All such variants reach the same receiver.
 */
export function normalizeMailbox(kind: SubscriberKind, address: string): string {
  if (kind === 'WEBHOOK') return address.split('?')[0] ?? '';
  const canonical = normalizeEmail(address);
  const at = canonical.lastIndexOf('@');
  const [local, domain] = [canonical.slice(0, at), canonical.slice(at + 1)];
  const name = local.replace(/(?<=.)\+.*$/, '');
  return `${DOT_INSENSITIVE_DOMAINS.includes(domain) ? name.replaceAll('.', '') : name}@${domain}`;
}

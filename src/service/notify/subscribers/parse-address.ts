/** The addresses that may be subscribed, as people type them. Pure. */
import { domainToASCII } from 'node:url';
import { canonicalEmail, emailHost, webAddress } from '../../../base/addresses.ts';
import type { SubscriberKind } from '../../store/index.ts';

const LONGEST_URL = 2000;
const LONGEST_LABEL = 63;
/** Words between dots. A mail server may take %, ! and / for a way to another server, and | for a program. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}#$&'*+=?^_`{}~-]+(?:\.[\p{L}\p{M}\p{N}#$&'*+=?^_`{}~-]+)*$/u;

/** Whether a domain can be one of the public's: it has a dot, and labels that the DNS takes. */
const isPublicHost = (host: string): boolean =>
  host.includes('.') &&
  (domainToASCII(host) || host).split('.').every((label) => label.length <= LONGEST_LABEL);

/** The address in the one form that it is kept in, or what is wrong with it, as a sentence. */
export function parseAddress(
  kind: SubscriberKind,
  typed: string,
): { readonly address: string } | { readonly problem: string } {
  const text = typed.trim();
  if (kind === 'EMAIL') {
    // The public's addresses alone: a name without a dot leads into the network of the service.
    const host = emailHost(text);
    const at = text.lastIndexOf('@');
    if (host === undefined || !isPublicHost(host) || !LOCAL_PART.test(text.slice(0, at)))
      return { problem: 'Enter an e-mail address, such as name@example.com.' };
    return { address: text.slice(0, at) + text.slice(at).toLowerCase() };
  }
  const url = webAddress(text);
  if (url === undefined || url.href.length > LONGEST_URL)
    return { problem: 'Enter a URL that starts with https://.' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'Enter the URL without a user name and password.' };
  url.hash = '';
  return { address: url.href };
}

/** Providers that ignore dots before the @. */
const WITHOUT_DOTS = ['gmail.com', 'googlemail.com'];

/**
 * Returns what messages to an address are counted by: an e-mail address without its tag (`name+tag@`), a webhook without its
 * query. However it is varied, the same person or program is written to.
 */
export function normalizeMailbox(kind: SubscriberKind, address: string): string {
  if (kind === 'WEBHOOK') return address.split('?')[0] ?? '';
  const canonical = canonicalEmail(address);
  const at = canonical.lastIndexOf('@');
  const [local, domain] = [canonical.slice(0, at), canonical.slice(at + 1)];
  const name = local.replace(/(?<=.)\+.*$/, '');
  return `${WITHOUT_DOTS.includes(domain) ? name.replaceAll('.', '') : name}@${domain}`;
}

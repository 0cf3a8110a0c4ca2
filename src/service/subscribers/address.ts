/** The addresses that may be subscribed, as people type them. Pure. */
import { emailHost, webAddress } from '../outbox/addresses.ts';
import type { SubscriberKind } from '../store/index.ts';

const LONGEST_URL = 2000;

/** The address in the one form that it is kept in, or what is wrong with it, as a sentence. */
export function addressFrom(
  kind: SubscriberKind,
  typed: string,
): { readonly address: string } | { readonly problem: string } {
  const text = typed.trim();
  if (kind === 'EMAIL') {
    // The public's addresses alone: a name without a dot leads into the network of the service.
    if (!emailHost(text)?.includes('.'))
      return { problem: 'Type an e-mail address, such as name@example.com.' };
    const at = text.lastIndexOf('@');
    return { address: text.slice(0, at) + text.slice(at).toLowerCase() };
  }
  const url = webAddress(text);
  if (url === undefined || url.href.length > LONGEST_URL)
    return { problem: 'Type an address that begins with https://.' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'Type the address without a user name and password in it.' };
  url.hash = '';
  return { address: url.href };
}

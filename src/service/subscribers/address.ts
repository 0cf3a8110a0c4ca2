/** The addresses that may be subscribed, as people type them. Pure. */
import type { SubscriberKind } from '../store/index.ts';

const LONGEST_EMAIL = 254;
const LONGEST_URL = 2000;
/** What could be taken for a second address or a header stays out, though the grammar of addresses knows it. */
const EMAIL =
  /^[^\s@<>()[\]\\,;:"\p{C}]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*$/u;

/** The address in the one form that it is kept in, or what is wrong with it, as a sentence. */
export function addressFrom(
  kind: SubscriberKind,
  typed: string,
): { readonly address: string } | { readonly problem: string } {
  const text = typed.trim();
  if (kind === 'EMAIL') {
    if (text.length > LONGEST_EMAIL || !EMAIL.test(text))
      return { problem: 'Type an e-mail address, such as name@example.com.' };
    const at = text.lastIndexOf('@');
    return { address: text.slice(0, at) + text.slice(at).toLowerCase() };
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.href.length > LONGEST_URL)
    return { problem: 'Type an address that begins with https://.' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'Type the address without a user name and password in it.' };
  url.hash = '';
  return { address: url.href };
}

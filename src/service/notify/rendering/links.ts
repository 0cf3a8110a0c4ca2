/** Makes the web addresses in texts of people clickable. */
import { parseWebUrl } from '../../../base/addresses.ts';
import { sanitizeBlock } from '../../../base/sanitize.ts';
import { html, type Markup } from './markup.ts';

/** An address ends at white space, quotes, brackets of markup, and characters that nobody sees. */
const ADDRESS = /(?<![\p{L}\p{N}_])https?:\/\/[^\s<>"`\p{C}]+/giu;
/** Belongs to the sentence at the end of an address, in the punctuation of any script. */
const PUNCTUATION = /[.,;:!?'*_~…。、，；：！？·’”»」』）】]/u;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

/** Returns the address without the punctuation that follows it. A closing bracket stays if the address opens it. */
function trimAddress(address: string): string {
  const surplus = new Map(
    [...BRACKETS].map(([close, open]) => [close, address.split(close).length - address.split(open).length]),
  );
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    const unopened = surplus.get(last) ?? 0;
    if (unopened > 0) surplus.set(last, unopened - 1);
    else if (!PUNCTUATION.test(last)) break;
  }
  return address.slice(0, end);
}

/** Returns whether an address may be a link. A user name could pretend to be the host. */
function isLinkable(address: string): boolean {
  const url = parseWebUrl(address);
  return url !== undefined && url.username === '' && url.password === '';
}

/**
 * Returns a text as markup, in which each http and https address is a link. `attributes` is the markup of the other
 * attributes of links.
 */
export function linkAddresses(text: string, attributes: Markup | '' = ''): Markup {
  const clean = sanitizeBlock(text);
  const parts: (Markup | string)[] = [];
  let end = 0;
  for (const { 0: found, index } of clean.matchAll(ADDRESS)) {
    const address = trimAddress(found);
    if (!isLinkable(address)) continue;
    parts.push(
      clean.slice(end, index),
      html`<a href="${address}" rel="nofollow noopener"${attributes}>${address}</a>`,
    );
    end = index + address.length;
  }
  return html`${[...parts, clean.slice(end)]}`;
}

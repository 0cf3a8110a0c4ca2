/** Converts the prefix of a UUID to a range, so that both databases use their index. */
import { UUID } from '../../base/short-id.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = FIRST.replaceAll('0', 'f');
/** A shorter prefix matches too many IDs. */
const SHORTEST = 4;

/** Returns the first and the last UUID with the prefix, ignoring case; undefined if it is not a prefix of a UUID. */
export function uuidRange(text: string): { readonly first: string; readonly last: string } | undefined {
  const prefix = text.toLowerCase();
  const first = prefix + FIRST.slice(prefix.length);
  if (prefix.length < SHORTEST || !UUID.test(first)) return undefined;
  return { first, last: prefix + LAST.slice(prefix.length) };
}

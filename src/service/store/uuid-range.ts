/** Converts the prefix of a UUID to a range, so that both databases use their index. */
import { UUID } from '../../base/short-id.ts';

const MIN_UUID = '00000000-0000-0000-0000-000000000000';
const MAX_UUID = MIN_UUID.replaceAll('0', 'f');
/** A shorter prefix matches too many IDs. */
const MIN_LENGTH = 4;

/** Returns the first and the last UUID with the prefix, ignoring case; undefined if it is not a prefix of a UUID. */
export function uuidRange(text: string): { readonly first: string; readonly last: string } | undefined {
  const prefix = text.toLowerCase();
  const first = prefix + MIN_UUID.slice(prefix.length);
  if (prefix.length < MIN_LENGTH || !UUID.test(first)) return undefined;
  return { first, last: prefix + MAX_UUID.slice(prefix.length) };
}

/** Searches UUIDs by how they begin, so that either database uses its index. */
import { UUID } from '../../base/short-id.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = FIRST.replaceAll('0', 'f');
/** What is shorter begins too many ids to mean one. */
const SHORTEST = 4;

/** Returns the first and the last UUID that begin with a text, in any case; undefined where none does. */
export function uuidRange(text: string): { readonly first: string; readonly last: string } | undefined {
  const prefix = text.toLowerCase();
  const first = prefix + FIRST.slice(prefix.length);
  if (prefix.length < SHORTEST || !UUID.test(first)) return undefined;
  return { first, last: prefix + LAST.slice(prefix.length) };
}

/** Converts page numbers to offsets. */

// Beyond the end of every list, and within the range of every database's integers.
const MAX_OFFSET = 2 ** 31 - 1;

/** Returns the limit and offset of a page. */
export function pageSlice({ limit, page }: { limit: number; page: number }) {
  return { limit, offset: Math.min((page - 1) * limit, MAX_OFFSET) };
}

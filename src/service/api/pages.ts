/** Lists that are paged by number: from limit and page to a slice, and the header that tells the total. */

// Far beyond every list, and still a number that every database takes.
const FARTHEST = 2 ** 31 - 1;

/** The part of a list that a page is. */
export function sliceOf({ limit, page }: { limit: number; page: number }) {
  return { limit, offset: Math.min((page - 1) * limit, FARTHEST) };
}

/** `content-range: items 0-9/11`, as some deployments tell the total of a list. */
export function sendRange(
  header: (name: string, value: string) => void,
  offset: number,
  length: number,
  total: number,
): void {
  header('content-range', length === 0 ? `*/${total}` : `${offset}-${offset + length - 1}/${total}`);
}

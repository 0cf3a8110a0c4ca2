/** The part of a list that a page by its number is. */

// Far beyond every list, and still a number that every database takes.
const FARTHEST = 2 ** 31 - 1;

/** The part of a list that a page is. */
export function sliceOf({ limit, page }: { limit: number; page: number }) {
  return { limit, offset: Math.min((page - 1) * limit, FARTHEST) };
}

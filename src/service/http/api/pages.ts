/** Lists that are paged by number: the header that tells the total. */

/** `content-range: 0-9/11`, as some deployments tell the total of a list; `0-9/*` where it is not counted. */
export function sendRange(
  header: (name: string, value: string) => void,
  offset: number,
  length: number,
  total: number | '*',
): void {
  header('content-range', length === 0 ? `*/${total}` : `${offset}-${offset + length - 1}/${total}`);
}

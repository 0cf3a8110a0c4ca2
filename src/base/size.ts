/** Parses and formats sizes: `500MB`, `10GB`. Units are powers of 1024. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const SIZE = /^(\d{1,12}(?:\.\d{1,3})?) ?(B|KB|MB|GB|TB)$/i;

/** Returns bytes; undefined for text that is not a size. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Math.round(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()));
}

/** Formats `10 GB`, `1.5 MB` or `512 B`, with at most one decimal. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power]}`;
}

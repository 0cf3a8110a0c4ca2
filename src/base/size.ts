/** Sizes as people write them: `500MB`, `10GB`. A unit is 1024 times the one before. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const SIZE = /^(\d{1,12}(?:\.\d{1,3})?) ?(B|KB|MB|GB|TB)$/i;

/** Bytes; undefined for a text that is no size. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Math.round(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()));
}

/** `10 GB`, `1.5 MB`, `512 B`: three digits at most before the unit, one behind the point. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power]}`;
}

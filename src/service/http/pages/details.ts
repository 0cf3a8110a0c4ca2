/** Reads what a run left as it was stored: a field may be missing, and none is trusted. */

export type Fields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const count = (value: unknown): number => Math.max(0, number(value) ?? 0);
/** `12.3 ms` */
export const milliseconds = (value: unknown): string | undefined =>
  typeof value === 'number' ? `${value} ms` : undefined;
/** A list of texts. */
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((item) => text(item) ?? []) : [];

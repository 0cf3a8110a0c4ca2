/** Reads the stored details of a run, whose fields may be missing and are untrusted. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(asObject) : [];
export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
export const asCount = (value: unknown): number => Math.max(0, asNumber(value) ?? 0);
/** Formats a duration: `12.3 ms`. */
export const formatMilliseconds = (value: unknown): string | undefined =>
  typeof value === 'number' ? `${value} ms` : undefined;
/** Returns the strings of an array that are not empty. */
export const asTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((item) => asText(item) ?? []) : [];

/** Shortens UUIDs for people to a length that is unique in a list and long enough to look up. */

/** Matches a whole UUID. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Matches the start of a UUID. Fewer characters would be ambiguous. */
export const UUID_START = /^[0-9a-f][0-9a-f-]{3,}$/i;

const isUuid = (id: unknown): id is string => typeof id === 'string' && UUID.test(id);

/** UUIDs of version 7 start with their time, so those of one moment differ only after it. */
const UUID_V7 = /^.{14}7/;

/** Returns a prefix length that is almost always unique. */
export const shortLength = (id: string): number => (UUID_V7.test(id) ? 18 : 8);

/** Shortens a UUID that is shown alone; returns other text unchanged. */
export const shortId = (id: string): string => (UUID.test(id) ? id.slice(0, shortLength(id)) : id);

/** Creates a function that shortens the UUIDs of one list and returns other values unchanged. */
export function createIdShortener(ids: readonly unknown[]): <T>(id: T) => T | string {
  const sorted = [...new Set(ids.filter(isUuid))].sort();
  const short = new Map(
    sorted.map((id, index) => {
      const prefix = Math.max(
        commonPrefixLength(id, sorted[index - 1]),
        commonPrefixLength(id, sorted[index + 1]),
      );
      return [id, id.slice(0, Math.max(shortLength(id), prefix + 1))];
    }),
  );
  return (id) => short.get(id as string) ?? id;
}

function commonPrefixLength(one: string, other = ''): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

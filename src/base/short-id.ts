/** Shortens UUIDs for people: as few characters as tell those of one list apart, and enough to mean one of all. */

/** What a whole UUID looks like. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** How a UUID may begin: fewer characters would mean too many. */
export const UUID_START = /^[0-9a-f][0-9a-f-]{3,}$/i;

const isUuid = (id: unknown): id is string => typeof id === 'string' && UUID.test(id);

/** UUIDs of version 7 begin with their time: those of one moment differ only behind it. */
const UUID_V7 = /^.{14}7/;

/** Returns how many characters of a UUID hardly any other begins with. */
export const shortLength = (id: string): number => (UUID_V7.test(id) ? 18 : 8);

/** Returns a UUID as it is shown where nothing of its kind is beside it; anything else stays whole. */
export const shortId = (id: string): string => (UUID.test(id) ? id.slice(0, shortLength(id)) : id);

/** Returns what shortens the UUIDs of one list; anything else stays as it is. */
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

/** How many characters two texts have in common at their beginning. */
function commonPrefixLength(one: string, other = ''): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** Keeps a report within its size: everything in full while there is room, then in short, then counted. */

/** How each item can be told. */
export interface Telling<T> {
  readonly full: (item: T) => string;
  readonly short: (item: T) => string;
}

export interface Fitted<T> {
  readonly texts: readonly string[];
  /** Whether each text is the full one. */
  readonly inFull: readonly boolean[];
  /** Those for which not even the short text had room. */
  readonly leftOut: readonly T[];
}

/**
 * Tells items, the most important first, in at most `most` bytes: as many as can be in short, and from the first on in full
 * what then has room.
 */
export function withinSize<T>(items: readonly T[], most: number, { full, short }: Telling<T>): Fitted<T> {
  const texts: string[] = [];
  const inFull: boolean[] = [];
  let room = most;
  for (const item of items) {
    const text = short(item);
    const bytes = Buffer.byteLength(text);
    if (bytes > room) break;
    room -= bytes;
    texts.push(text);
  }
  const leftOut = items.slice(texts.length);
  for (const [index, text] of texts.entries()) {
    const item = items[index];
    const better = item === undefined ? text : full(item);
    const more = Buffer.byteLength(better) - Buffer.byteLength(text);
    const fits = more <= room;
    if (fits) {
      room -= more;
      texts[index] = better;
    }
    inFull.push(fits);
  }
  return { texts, inFull, leftOut };
}

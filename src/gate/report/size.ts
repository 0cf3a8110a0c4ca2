/** Fits items into a size limit: in full while there is room, then in short, then only counted. */

/** The texts of an item. */
export interface ItemTexts<T> {
  readonly full: (item: T) => string;
  readonly short: (item: T) => string;
}

export interface FittedItems<T> {
  readonly texts: readonly string[];
  /** Whether each text is the full text. */
  readonly inFull: readonly boolean[];
  /** Items whose short text does not fit. */
  readonly leftOut: readonly T[];
}

/**
 * Fits items, the most important first, into `most` bytes: as many short texts as possible, then full texts from the first item
 * on while there is room.
 */
export function fitWithin<T>(
  items: readonly T[],
  most: number,
  { full, short }: ItemTexts<T>,
): FittedItems<T> {
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

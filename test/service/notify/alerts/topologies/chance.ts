/** Random choices that a seed repeats. */
export interface Chance {
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  isTrue(probability: number): boolean;
  of<T>(list: readonly [T, ...T[]]): T;
}

/** Mulberry32. */
export function createRandom(seed: number): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    isTrue: (probability) => next() < probability,
    of: (list) => list[Math.floor(next() * list.length)] ?? list[0],
  };
}

/** A number of things, in words. */

/** `1 check`, `3 addresses`. */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

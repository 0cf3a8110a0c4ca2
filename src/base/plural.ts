/** Returns a number with its noun: `1 check` or `3 addresses`. */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

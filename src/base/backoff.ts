/** Computes exponential backoff. */

export interface BackoffOptions {
  /** The delay after the first failure, in ms. */
  readonly minMs: number;
  readonly maxMs: number;
}

/** Returns the delay after a number of failures in a row (1: the first), in ms. It doubles with each failure. */
export const exponentialBackoff = (failures: number, { minMs, maxMs }: BackoffOptions): number =>
  Math.min(maxMs, minMs * 2 ** (failures - 1));

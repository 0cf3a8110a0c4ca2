/** Declares the types of contract-types.mjs. */
export function declarationsOf(endpoints: readonly object[]): readonly string[];

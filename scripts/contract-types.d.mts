/** The declarations of the endpoints of the contract, as TypeScript, and of the types that they share. */
export function declarationsOf(endpoints: readonly object[]): readonly string[];

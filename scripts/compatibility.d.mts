/** Declares the types of compatibility.mjs. */
export function compatibilityText(): Promise<string>;

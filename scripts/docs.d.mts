/** Declares the types of docs.mjs. */
export function referenceText(): Promise<string>;
export function configurationText(): Promise<string>;
export function packageText(): Promise<string>;
export function schemaText(): Promise<string>;

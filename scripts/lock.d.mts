/** Declares the types of lock.mjs. */
export function lock(folder: string): Promise<() => Promise<void>>;

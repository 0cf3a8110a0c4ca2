/** Resolves in the next turn of the event loop, after events that have already arrived. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

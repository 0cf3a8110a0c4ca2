/** Resolves in the next turn of the event loop: what has arrived meanwhile is seen first. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

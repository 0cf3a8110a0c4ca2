/** Waits for the end of a long-running process. */

/** Resolves when the process is asked to stop. */
export const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    return undefined;
  });

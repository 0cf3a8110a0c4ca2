/** Stops waiting for work that does not support abort signals. */

/** Resolves with the result of the work, or rejects with the reason of the signal. The work itself continues. */
export async function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  stopped.catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

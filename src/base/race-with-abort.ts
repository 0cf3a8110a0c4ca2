/** Work that itself knows nothing of signals, and is no longer waited for once one is aborted. */

/** What the work comes to, or the signal's reason as soon as it is aborted; the work goes on, and its end is nobody's. */
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

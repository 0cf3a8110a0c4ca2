/** Runs a timeout that ignores time in which this process was suspended. */

/** The timeout is counted in this many parts. */
const PARTS = 10;
/** Number of parts with a suspension that do not count. Limited, so that the timeout always ends. */
const MAX_SUSPENSIONS = 2 * PARTS;

export interface IdleTimer {
  /** Restarts the timeout. */
  reset(): void;
  stop(): void;
}

/**
 * Calls `onTimeout` after `ms`. Data that has arrived is read first, and after a suspension the receiver gets at least
 * one more part: a message that was accepted must not be sent again.
 */
export function startIdleTimer(ms: number, onTimeout: () => void): IdleTimer {
  const partMs = ms / PARTS;
  let partsLeft = PARTS;
  let suspensionsLeft = MAX_SUSPENSIONS;
  let startedAt = 0;
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;

  function startPart(): void {
    startedAt = performance.now();
    // Node runs timers before it reads data that has arrived, and immediates after it.
    timer = setTimeout(() => setImmediate(endPart), partMs);
  }
  function endPart(): void {
    if (isDone) return;
    const wasSuspended = performance.now() - startedAt > 2 * partMs;
    if (wasSuspended && suspensionsLeft > 0) suspensionsLeft -= 1;
    else partsLeft -= 1;
    isDone = partsLeft === 0;
    if (isDone) onTimeout();
    else startPart();
  }
  startPart();
  return {
    reset() {
      partsLeft = PARTS;
    },
    stop() {
      isDone = true;
      clearTimeout(timer);
    },
  };
}

/** How long an answer is waited for: in time that this process was there to hear it. */

/** It is counted in so many parts. */
const PARTS = 10;
/** Parts in which the process stood still do not count, but for those beyond so many: whoever never answers is given up. */
const FORGIVEN = 2 * PARTS;

export interface IdleTimer {
  /** All of it is left again: something has happened. */
  reset(): void;
  stop(): void;
}

/**
 * Calls `onOver` once it has lasted so many ms. What has arrived is read before it is over, and after each time that the
 * process stood still whoever answers has at least another part: what was taken must not be sent once more.
 */
export function startIdleTimer(ms: number, onOver: () => void): IdleTimer {
  const partMs = ms / PARTS;
  let left = PARTS;
  let forgiven = FORGIVEN;
  let began = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  function wait(): void {
    began = performance.now();
    // Timers come before what has arrived, an immediate after it.
    timer = setTimeout(() => setImmediate(passed), partMs);
  }
  function passed(): void {
    if (isOver) return;
    const stoodStill = performance.now() - began > 2 * partMs;
    if (stoodStill && forgiven > 0) forgiven -= 1;
    else left -= 1;
    isOver = left === 0;
    if (isOver) onOver();
    else wait();
  }
  wait();
  return {
    reset() {
      left = PARTS;
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

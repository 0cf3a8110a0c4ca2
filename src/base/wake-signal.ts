/** Wakes all waiters at once. Call `next()` before you check the condition, then await it. */
export interface WakeSignal {
  wake(): void;
  /** Resolves at the next wake after this call. */
  next(): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let resolveNext = () => {};
  let next: Promise<void> | undefined;
  return {
    wake() {
      resolveNext();
      next = undefined;
    },
    next() {
      next ??= new Promise((resolve) => {
        resolveNext = resolve;
      });
      return next;
    },
  };
}

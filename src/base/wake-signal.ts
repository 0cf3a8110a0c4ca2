/** A bell: whoever waits for it is woken together. Take `next()` before looking at what it tells of, then wait for it. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring after this call. */
  next(): Promise<void>;
}

export function bell(): Bell {
  let ring = () => {};
  let next: Promise<void> | undefined;
  return {
    ring() {
      ring();
      next = undefined;
    },
    next() {
      next ??= new Promise((resolve) => {
        ring = resolve;
      });
      return next;
    },
  };
}

/** Resolves once the signal is aborted, or `forget` is called. */
export function whenAborted(signal: AbortSignal): { readonly aborted: Promise<void>; forget(): void } {
  let forget = () => {};
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    const told = () => resolve();
    signal.addEventListener('abort', told);
    forget = () => {
      signal.removeEventListener('abort', told);
      resolve();
    };
  });
  return { aborted, forget };
}

/** Keeps the instants of stored heartbeats on one clock: a step of the machine's clock counts once they are converted. */
import type { Clock } from '../../../base/clock.ts';

/** A smaller difference, in ms, is normal clock slewing and not a step. */
const MIN_STEP_MS = 1000;

export interface StoredClock {
  /**
   * Runs work that writes instants, on the clock of the stored ones. If the machine's clock was set, it converts these
   * first, so that no row is written on the new clock and then converted again. Throws what the conversion throws.
   */
  during<T>(work: (now: () => number) => Promise<T>): Promise<T>;
}

/** `convert` shifts the stored instants by `stepMs`, in one transaction; `now` is the time after the step. */
export function createStoredClock(
  clock: Clock,
  convert: (stepMs: number, now: number) => Promise<void>,
): StoredClock {
  const measure = () => clock.now() - clock.monotonic();
  let offset = measure();
  let running = 0;
  let onIdle = () => {};
  let conversion: Promise<void> | undefined;

  /** In whole ms, as stored. */
  const now = () => Math.floor(offset + clock.monotonic());
  function isSet(): boolean {
    const measured = measure();
    if (Math.abs(measured - offset) >= MIN_STEP_MS) return true;
    offset = measured;
    return false;
  }

  async function convertAll(): Promise<void> {
    // Work that has read the old clock ends first.
    while (running > 0)
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    const measured = measure();
    await convert(Math.round(measured - offset), Math.floor(measured + clock.monotonic()));
    offset = measured;
  }

  return {
    async during(work) {
      while (conversion !== undefined || isSet()) {
        conversion ??= convertAll().finally(() => {
          conversion = undefined;
        });
        await conversion;
      }
      running += 1;
      try {
        return await work(now);
      } finally {
        running -= 1;
        if (running === 0) onIdle();
      }
    },
  };
}

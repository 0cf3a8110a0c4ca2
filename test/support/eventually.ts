/** Waits for an event in a test for as long as a slow machine may need. */
import { vi } from 'vitest';

/** Only an event that never comes takes this long, in ms. The limit of a test is longer, so that the failure names the event. */
const LIMIT_MS = 120_000;

/** Calls `holds` each `interval` ms until it stops throwing, and returns its value. */
export function eventually<T>(holds: () => T | Promise<T>, interval = 10): Promise<T> {
  return vi.waitFor(holds, { timeout: LIMIT_MS, interval });
}

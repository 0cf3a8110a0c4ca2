/** Retries a write while the database fails. */
import type { Clock } from '../../../base/clock.ts';
import { DatabaseFault } from '../../store/errors.ts';

/** Delays between attempts, in ms. Each is twice the one before. */
const MIN_DELAY_MS = 125;
const MAX_DELAY_MS = 1000;

/** Throws the database's error once the signal is aborted, and any other error at once. */
export async function retryStore<T>(clock: Clock, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (let delay = MIN_DELAY_MS; ; delay = Math.min(MAX_DELAY_MS, delay * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseFault) || signal.aborted) throw error;
      await clock.sleep(delay, signal).catch(() => {});
    }
  }
}

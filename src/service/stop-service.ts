/** Stops the parts of a service in order, and disconnects a database that is still down after the grace period. */
import type { CancelTimer, Clock } from '../base/clock.ts';
import { DatabaseFault } from './store/index.ts';

export interface StopOptions {
  readonly clock: Clock;
  readonly graceMs: number;
  readonly onStopping: () => void;
  readonly isDatabaseDown: () => boolean;
  readonly disconnectDatabase: () => void;
  /** Run one after the other. */
  readonly steps: readonly (() => Promise<void>)[];
  readonly onError: (message: string, error: unknown) => void;
}

/** Interval at which a stop beyond the grace period checks the database, in ms. */
const POLL_MS = 250;

/** Returns a function that stops the service once, however often it is called. */
export function createStop(options: StopOptions): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stopService(options);
    return stopped;
  };
}

async function stopService(options: StopOptions): Promise<void> {
  const { steps, onStopping, onError } = options;
  onStopping();
  const cancelTimer = disconnectAfterGrace(options);
  try {
    for (const step of steps) {
      // An unavailable database must not block the stop: the next start recovers what could not be written.
      await step().catch((error: unknown) => {
        if (!(error instanceof DatabaseFault)) throw error;
        onError('the database failed while the service stopped', error);
      });
    }
  } finally {
    cancelTimer();
  }
}

/** Limits how long an unresponsive database delays the stop to the grace period of running checks. */
function disconnectAfterGrace({
  clock,
  graceMs,
  isDatabaseDown,
  disconnectDatabase,
}: StopOptions): CancelTimer {
  let cancelTimer = clock.timer(graceMs, function poll() {
    if (isDatabaseDown()) disconnectDatabase();
    else cancelTimer = clock.timer(POLL_MS, poll);
  });
  return () => cancelTimer();
}

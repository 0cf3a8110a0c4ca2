/** What `bin` hands in: the seam between the process and the program. */
import { systemClock } from '../../base/clock.ts';
import { CancelledError, type StopSignal } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import type { Host } from './types.ts';

/** A process as `bin` describes it. */
export interface ProcessHost
  extends Omit<Host, 'clock' | 'random' | 'signal' | 'crashed' | 'usedKeys' | 'answers'> {
  /** Calls the listener when the process is told to stop. */
  readonly onStop: (listener: (signal: StopSignal) => void) => void;
  /** Calls the listener with what was thrown where nobody caught it. */
  readonly onCrash: (listener: (error: unknown) => void) => void;
}

/** What a bundle exports: runs the command line and gives the exit code. */
export interface Program {
  readonly main: (process: ProcessHost) => Promise<number>;
}

/** The process with time, chance, and its end in the program's own terms. */
export function hostOf(given: ProcessHost): Host {
  const stopping = new AbortController();
  given.onStop((signal) => stopping.abort(new CancelledError(signal)));
  const crashed = new Promise<never>((_, reject) => {
    given.onCrash((thrown) => {
      // Whatever its class, it is a fault of ours: nobody was there to catch it.
      const told = thrown instanceof Error ? thrown : new Error(String(thrown));
      const error = new Error(told.message, told.cause === undefined ? {} : { cause: told.cause });
      if (told.stack) error.stack = told.stack;
      reject(error);
    });
  });
  crashed.catch(() => {});
  // What stands in `given` is inherited and not copied: to look at stdin opens it, which most commands never need.
  return Object.assign(Object.create(given) as ProcessHost, {
    clock: systemClock,
    random: systemRandom,
    signal: stopping.signal,
    crashed,
    usedKeys: new Set<string>(),
    answers: [],
  });
}

/** Adapts the process, as `bin` describes it, to the host that the program uses. */
import { systemClock } from '../../base/clock.ts';
import { CancelledError, type StopSignal } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import type { Host } from './types.ts';

/** The process as `bin` describes it. */
export interface ProcessHost
  extends Omit<Host, 'clock' | 'random' | 'signal' | 'crashed' | 'usedKeys' | 'answers'> {
  /** Calls the listener when a signal asks the process to stop. */
  readonly onStop: (listener: (signal: StopSignal) => void) => void;
  /** Calls the listener with an uncaught error. */
  readonly onCrash: (listener: (error: unknown) => void) => void;
}

/** The exports of a command's bundle. */
export interface Program {
  /** Runs the command line and returns the exit code. */
  readonly main: (process: ProcessHost) => Promise<number>;
}

/** Adds a clock, random numbers, and signals and crashes as promises to the process. */
export function createHost(source: ProcessHost): Host {
  const stopping = new AbortController();
  source.onStop((signal) => stopping.abort(new CancelledError(signal)));
  const crashed = new Promise<never>((_, reject) => {
    source.onCrash((thrown) => {
      // An uncaught error is a bug whatever its class, so the new error drops the class.
      const { message, cause, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
      const error = new Error(message, cause === undefined ? {} : { cause });
      if (stack) error.stack = stack;
      reject(error);
    });
  });
  crashed.catch(() => {});
  // Inherits instead of copying: reading `stdin` opens it, and most commands never need it.
  return Object.assign(Object.create(source) as ProcessHost, {
    clock: systemClock,
    random: systemRandom,
    signal: stopping.signal,
    crashed,
    usedKeys: new Set<string>(),
    answers: [],
  });
}

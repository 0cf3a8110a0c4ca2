/** What `bin` hands in, and what it gets back: the seam between the process and the program. */
import { systemClock } from '../../src/base/clock.ts';
import { CancelledError, type StopSignal } from '../../src/base/errors.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { Host } from './types.ts';

/** A process as `bin` describes it. */
export interface ProcessHost extends Omit<Host, 'clock' | 'random' | 'signal'> {
  /** Calls the listener when the process is told to stop. */
  readonly onStop: (listener: (signal: StopSignal) => void) => void;
}

/** What a command's bundle exports. */
export interface Program {
  /** Runs the command line; gives the exit code. */
  readonly main: (host: ProcessHost) => Promise<number>;
  /** Says that something was thrown where nobody caught it. */
  readonly crash: (host: ProcessHost, error: unknown) => Promise<unknown>;
}

/** The process with time, chance, and a signal in the program's own terms. */
export function hostOf(given: ProcessHost): Host {
  const stopping = new AbortController();
  given.onStop((signal) => stopping.abort(new CancelledError(signal)));
  const { argv, env, stdout, stderr, cwd, home, platform, version, nodeVersion, execPath, script } = given;
  return {
    argv,
    env,
    // Opening stdin costs; most commands never look at it.
    get stdin() {
      return given.stdin;
    },
    stdout,
    stderr,
    cwd,
    home,
    platform,
    version,
    nodeVersion,
    execPath,
    script,
    clock: systemClock,
    random: systemRandom,
    signal: stopping.signal,
  };
}

/** What it takes to have a key from another program: a password manager, the system's keyring. */
import type { Clock } from '../base/clock.ts';
import type { Environment } from './folders.ts';

/** What the process brings, besides its environment. */
export interface KeyHost {
  readonly clock: Clock;
  /** Ends the waiting; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Whether a person sits at the terminal: the program may then ask, and what it says is shown as it comes. */
  readonly isInteractive: boolean;
  /** Shows on stderr what the program says there. Sanitises. */
  readonly show: (text: string) => void;
  /** The program of our own that speaks with the keyring: a Node and its script. */
  readonly keyringProgram: readonly [execPath: string, script: string];
}

/** The environment for another program: ours without the key, which everybody could read who may look at its processes. */
export function withoutKey(env: Environment): NodeJS.ProcessEnv {
  const { SONDE_API_KEY: _, ...rest } = env;
  return rest;
}

/** Defines what is needed to get a key from another program: a password manager or the system keyring. */
import type { Clock } from '../base/clock.ts';
import type { Environment } from './folders.ts';

/** The process that needs a key, except its environment. */
export interface KeyHost {
  readonly clock: Clock;
  /** Cancels the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Whether a person is at the terminal. The program may then prompt, and its stderr is shown immediately. */
  readonly isInteractive: boolean;
  /** Writes the program's stderr, sanitised, to stderr. */
  readonly show: (text: string) => void;
  /** The program that accesses the keyring: Node and a script of sonde. */
  readonly keyringProgram: readonly [execPath: string, script: string];
}

/** Returns the environment for another program, without the key, which other users could read from its process. */
export function withoutKey(env: Environment): NodeJS.ProcessEnv {
  const { SONDE_API_KEY: _, ...rest } = env;
  return rest;
}

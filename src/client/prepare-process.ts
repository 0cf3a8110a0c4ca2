/** Prepares a command-line process for its first request. */
import { setFlagsFromString } from 'node:v8';

/**
 * Compiles the WASM of the HTTP parser with the fast compiler only, because optimization does not pay off in a short
 * process. Call it before the first request; never in the service or an agent.
 */
export function prepareProcess(): void {
  setFlagsFromString('--liftoff-only');
}

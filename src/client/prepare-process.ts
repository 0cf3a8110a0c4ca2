/** What a command-line process sets up before its first request. */
import { setFlagsFromString } from 'node:v8';

/**
 * Compiles the HTTP parser's WASM with the quick compiler only: a process of one request never earns the slow one's
 * work back. For command-line processes, before the first request; never in the service or an agent.
 */
export function prepareProcess(): void {
  setFlagsFromString('--liftoff-only');
}

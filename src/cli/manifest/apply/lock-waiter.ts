/** Waits until no other apply holds the lock of a project. */
import type { Deps } from '../../framework/index.ts';
import { formatHolder, isAlive, lockedError } from '../state/lock-holder.ts';
import type { StoredState } from '../state/read-states.ts';
import { type FoundState, readState } from '../state/state-snippet.ts';

/** Interval between two looks at the lock, in ms. */
const POLL_MS = 2000;

/**
 * Returns a function that waits for a project, and returns whether it had to. It rejects with LockedError when the time is over, which
 * counts from now.
 */
export function createLockWaiter(deps: Deps, timeoutMs: number) {
  const { clock, signal, self, terminal } = deps;
  const deadline = clock.monotonic() + timeoutMs;
  return async (own: StoredState | undefined): Promise<boolean> => {
    const [id] = own?.snippetIds ?? [];
    if (own?.lock === undefined || id === undefined) return false;
    let found: FoundState | undefined;
    let hasWaited = false;
    const isLocked = async (): Promise<boolean> => {
      found = await readState(deps, Number(id), signal);
      return found?.lock !== undefined && isAlive(found.lock, found.silentMs, self);
    };
    while (await isLocked()) {
      const holder = found?.lock ?? own.lock;
      if (clock.monotonic() >= deadline) throw lockedError(own.project, holder);
      if (!hasWaited) await terminal.note(`Waiting for the lock, which ${formatHolder(holder)} holds.`);
      hasWaited = true;
      await clock.sleep(Math.min(POLL_MS, deadline - clock.monotonic()), signal);
    }
    return found?.script !== own.script;
  };
}

/** One writer at a time for a file, across processes, also after one of them died while it held the lock. */
import { rmdir, stat } from 'node:fs/promises';
import type { LockOptions } from 'proper-lockfile';
import { type Clock, systemClock } from '../base/clock.ts';
import { OutputError } from '../base/errors.ts';
import { type Random, systemRandom } from '../base/random.ts';

/** A lock that nobody renewed for so long (ms) belongs to a process that is gone. A write takes some milliseconds. */
const STALE = 5_000;
/** How long (ms) to wait for others before giving up: long enough to outlive a dead one. */
const WAIT_LIMIT = 20_000;

export interface LockDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Does `work` while no other process does any under the same path. `work` gets a function to call right before its
 * effect: it throws where the process slept for so long that others may have taken the lock for a dead one's.
 *
 * @param path the file to guard; the lock is the folder `PATH.lock` beside it
 * @throws OutputError where the lock cannot be had
 */
export async function withLock<T>(
  path: string,
  work: (assertHeld: () => void) => Promise<T>,
  { clock, random }: LockDeps = { clock: systemClock, random: systemRandom },
): Promise<T> {
  const { lock } = await import('proper-lockfile');
  // The library removes a stale lock without looking twice, so that two waiting processes can end up with one each, or
  // both. So it never judges one stale here: `takeOver` does, one process at a time.
  const neverStale: LockOptions = { stale: Number.POSITIVE_INFINITY, update: STALE / 4 };
  const options: LockOptions = { ...neverStale, realpath: false, onCompromised: () => undefined };
  const deadline = clock.monotonic() + WAIT_LIMIT;
  for (;;) {
    try {
      const release = await lock(path, options);
      const since = clock.monotonic();
      try {
        return await work(() => {
          if (clock.monotonic() - since > STALE / 2)
            throw new OutputError(`could not write ${path}: try again`);
        });
      } finally {
        await release().catch(() => undefined);
      }
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    if (clock.monotonic() > deadline) {
      throw new OutputError(`another process is still writing ${path}`, {
        hint: `if there is no such process, remove the folder ${path}.lock`,
      });
    }
    if (await isStale(path, clock)) await removeStaleLock(path, clock);
    await clock.sleep(10 + 40 * random.next());
  }
}

/** Removes the lock of a dead process. Under a lock of its own, so that nobody removes one that was just taken anew. */
async function removeStaleLock(path: string, clock: Clock): Promise<void> {
  const { lock } = await import('proper-lockfile');
  try {
    const release = await lock(`${path}.takeover`, {
      stale: STALE,
      realpath: false,
      onCompromised: () => undefined,
    });
    try {
      if (await isStale(path, clock)) await rmdir(`${path}.lock`);
    } finally {
      await release().catch(() => undefined);
    }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isGone && !isLocked(error)) throw error;
  }
}

async function isStale(path: string, clock: Clock): Promise<boolean> {
  try {
    return (await stat(`${path}.lock`)).mtimeMs < clock.now() - STALE;
  } catch {
    return false;
  }
}

function isLocked(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ELOCKED';
}

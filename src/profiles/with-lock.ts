/** Locks a file across processes. It recovers the lock of a process that died. */
import { rmdir, stat } from 'node:fs/promises';
import type { LockOptions } from 'proper-lockfile';
import { type Clock, systemClock } from '../base/clock.ts';
import { OutputError } from '../base/errors.ts';
import { type Random, systemRandom } from '../base/random.ts';

/** A lock that was not renewed for this time (ms) belongs to a dead process. A write takes some milliseconds. */
const STALE = 5_000;
/** The longest wait (ms) for other processes: long enough for the lock of a dead one to become stale. */
const WAIT_LIMIT = 20_000;

export interface LockDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Runs `work` while no other process runs any for the same path. `work` must call `assertHeld` right before its effect:
 * it throws if the process slept so long that others may have removed the lock as stale.
 *
 * @param path the file to lock; the lock is the folder `PATH.lock` beside it
 * @throws OutputError if the lock cannot be acquired
 */
export async function withLock<T>(
  path: string,
  work: (assertHeld: () => void) => Promise<T>,
  { clock, random }: LockDeps = { clock: systemClock, random: systemRandom },
): Promise<T> {
  const { lock } = await import('proper-lockfile');
  // The library removes a stale lock without a second check, so two waiting processes could both acquire it. Therefore
  // it never treats a lock as stale here; `removeStaleLock` does, one process at a time.
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

/** Removes the lock of a dead process. A second lock ensures that no process removes a newly acquired one. */
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

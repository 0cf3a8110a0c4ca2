/** Locks a file across processes with a folder beside it. It recovers the lock of a process that died. */
import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
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
  const lock = `${path}.lock`;
  const deadline = clock.monotonic() + WAIT_LIMIT;
  while (!(await acquire(lock))) {
    if (clock.monotonic() > deadline) {
      throw new OutputError(`another process is still writing ${path}`, {
        hint: `if there is no such process, remove the folder ${lock}`,
      });
    }
    await removeStaleLock(lock, clock);
    await clock.sleep(10 + 40 * random.next());
  }
  const since = clock.monotonic();
  let renewedAt = since;
  const renewal = setInterval(() => {
    renewedAt = clock.monotonic();
    utimes(lock, clock.now() / 1000, clock.now() / 1000).catch(() => undefined);
  }, STALE / 4);
  try {
    return await work(() => {
      if (clock.monotonic() - since > STALE / 2) throw new OutputError(`could not write ${path}: try again`);
    });
  } finally {
    clearInterval(renewal);
    // A lock that was not renewed in time may belong to another process now.
    if (clock.monotonic() - renewedAt < STALE) await rmdir(lock).catch(() => undefined);
  }
}

/** Creates the folder. Returns false if another process has it. */
async function acquire(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead process. A second lock ensures that no process removes a newly acquired one. */
async function removeStaleLock(lock: string, clock: Clock): Promise<void> {
  if (!(await isStale(lock, clock))) return;
  const takeover = `${lock}.takeover`;
  if (await isStale(takeover, clock)) await rmdir(takeover).catch(() => undefined);
  if (!(await acquire(takeover))) return;
  try {
    if (await isStale(lock, clock)) await rmdir(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rmdir(takeover).catch(() => undefined);
  }
}

async function isStale(lock: string, clock: Clock): Promise<boolean> {
  try {
    return (await stat(lock)).mtimeMs < clock.now() - STALE;
  } catch {
    return false;
  }
}

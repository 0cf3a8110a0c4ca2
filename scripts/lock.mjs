/** Locks a task across processes with a folder, for the build and the tests. */
import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A lock that was not renewed for this time (ms) belongs to a dead process. */
const STALE = 20_000;

/** Creates a folder when no other process has it. Returns a function that removes it. */
export async function lock(folder) {
  for (;;) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const renewedAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (renewedAt < Date.now() - STALE) await rmdir(folder).catch(() => {});
    await sleep(300);
  }
  const renewal = setInterval(() => utimes(folder, new Date(), new Date()).catch(() => {}), STALE / 4);
  return async () => {
    clearInterval(renewal);
    await rmdir(folder).catch(() => {});
  };
}

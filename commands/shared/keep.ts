/** Keeps what stood before a change in the user's state folder, readable by nobody else. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../../src/base/errors.ts';
import { dataFolders } from '../../src/profiles/folders.ts';
import type { Deps } from '../kernel/index.ts';

/** How many files one second may bring for one thing. */
const MOST = 1000;

/**
 * Writes a text as `previous/<kind>-<id>-<time>.yaml` (mode 0600) and gives its path. Throws OutputError where that cannot
 * be: then nothing is to be changed.
 */
export async function keepPrevious(
  { env, home, clock }: Pick<Deps, 'env' | 'home' | 'clock'>,
  kind: string,
  id: string | number,
  text: string,
): Promise<string> {
  const folder = join(dataFolders(env, home).state, 'previous');
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const stem = join(folder, `${kind}-${encodeURIComponent(id).slice(0, 100)}-${time}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let number = 1; ; number++) {
      const path = `${stem}${number === 1 ? '' : `-${number}`}.yaml`;
      try {
        await writeFile(path, text, { mode: 0o600, flag: 'wx' });
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === MOST) throw error;
      }
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new OutputError(`what stands now cannot be kept in ${folder} (${code}), so nothing was changed`, {
      cause,
      hint: 'XDG_STATE_HOME names another folder',
    });
  }
}

/** Forgets what was kept, where nothing was changed after all. */
export const forget = (path: string): Promise<void> => rm(path, { force: true });

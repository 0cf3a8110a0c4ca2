/** Warns about a data folder that other users of the machine can change. */
import { stat } from 'node:fs/promises';
import type { Terminal } from '../../../src/terminal/index.ts';

const WRITABLE_BY_OTHERS = 0o022;

/** Prints a warning if other users can replace files in the folder, such as the database. Windows has no such modes. */
export async function warnAboutFolder(
  { warn }: Pick<Terminal, 'warn'>,
  platform: string,
  folder: string,
): Promise<void> {
  if (platform === 'win32') return;
  const mode = (await stat(folder).catch(() => undefined))?.mode ?? 0;
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  await warn(
    `Other users can change the data folder ${folder}, and so read keys and results. Run: chmod go-w '${folder}'`,
  );
}

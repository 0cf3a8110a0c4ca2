/** Saves undo files and unsent edits in the user's state folder, readable only by the user. */
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../../base/errors.ts';
import { toFileName } from '../../base/file-name.ts';
import { makeFolder } from '../../base/files.ts';
import { dataFolders } from '../../profiles/folders.ts';
import type { Deps } from '../framework/index.ts';

export interface FileTarget {
  /** `previous`: undo files. `edits`: edits that were not sent. */
  readonly folder: 'previous' | 'edits';
  /** `status-page` */
  readonly kind: string;
  readonly id: string | number;
}

/** The oldest undo files above these limits are deleted, per resource and in total. */
const MAX_PER_RESOURCE = 20;
const MAX_FILES = 500;
/** Attempts to find a free name while other processes create files. */
const MAX_NAME_ATTEMPTS = 1000;
const FILE_NAME = /^(?<stem>.+)-(?<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)(?:-(?<number>\d+))?\.yaml$/;

/**
 * Writes a text as `<folder>/<kind>-<id>-<time>.yaml` (mode 0600, the folder 0700) and returns its path. Throws OutputError if it
 * cannot: the caller then changes nothing.
 */
export async function saveText(
  { env, home, clock }: Pick<Deps, 'env' | 'home' | 'clock'>,
  { folder: name, kind, id }: FileTarget,
  text: string,
): Promise<string> {
  const folder = join(dataFolders(env, home).state, name);
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const stem = `${kind}-${toFileName(String(id))}`;
  try {
    makeFolder(folder);
    await chmod(folder, 0o700);
    const file = await writeNew(folder, `${stem}-${time}`, text);
    // Only the user deletes their edits.
    if (name === 'previous') await deleteOldest(folder, stem, file);
    return join(folder, file);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new OutputError(`cannot save an undo file in ${folder} (${code}); nothing was changed`, {
      cause,
      hint: 'to use another folder, set XDG_STATE_HOME',
    });
  }
}

async function writeNew(folder: string, stem: string, text: string): Promise<string> {
  const taken = (await readdir(folder)).flatMap((file) => {
    const { stem: of, time, number = '1' } = FILE_NAME.exec(file)?.groups ?? {};
    return `${of}-${time}` === stem ? [Number(number)] : [];
  });
  // Reusing the number of a deleted file would make the newest file look like the oldest.
  const first = Math.max(0, ...taken) + 1;
  for (let number = first; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.yaml`;
    try {
      await writeFile(join(folder, file), text, { mode: 0o600, flag: 'wx' });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === first + MAX_NAME_ATTEMPTS)
        throw error;
    }
  }
}

/** Deletes the oldest files above the limits, but never the one just written. */
async function deleteOldest(folder: string, stem: string, written: string): Promise<void> {
  const files = (await readdir(folder))
    .flatMap((file) => {
      const { stem: of = '', time = '', number = '1' } = FILE_NAME.exec(file)?.groups ?? {};
      return time === '' || file === written ? [] : [{ file, of, time, number: Number(number) }];
    })
    .sort((a, b) => b.time.localeCompare(a.time) || b.number - a.number);
  const tooMany = [
    ...files.filter(({ of }) => of === stem).slice(MAX_PER_RESOURCE - 1),
    ...files.slice(MAX_FILES - 1),
  ];
  for (const { file } of tooMany) await deleteFile(join(folder, file));
}

export const deleteFile = (path: string): Promise<void> => rm(path, { force: true });

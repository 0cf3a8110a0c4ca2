/** Keeps texts in the user's state folder, readable by nobody else: what stood before a change, and edits not sent yet. */
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../../base/errors.ts';
import { makeFolder } from '../../base/folder.ts';
import { dataFolders } from '../../profiles/folders.ts';
import type { Deps } from '../framework/index.ts';

/** What is kept, and of which thing. */
export interface FileTarget {
  /** `previous`: what stood before a change. `edits`: what a person wrote and the service does not have yet. */
  readonly folder: 'previous' | 'edits';
  /** `status-page` */
  readonly kind: string;
  readonly id: string | number;
}

/** How many texts are kept of one thing, and of all things in one folder; older ones go. */
const MAX_PER_RESOURCE = 20;
const MAX_FILES = 500;
/** How often a name is tried that others take at the same time. */
const MAX_NAME_ATTEMPTS = 1000;
const FILE_NAME = /^(?<stem>.+)-(?<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)(?:-(?<number>\d+))?\.yaml$/;

/**
 * Writes a text as `<folder>/<kind>-<id>-<time>.yaml` (mode 0600, the folder 0700) and gives its path. Throws OutputError
 * where that cannot be: then nothing is to be changed.
 */
export async function saveText(
  { env, home, clock }: Pick<Deps, 'env' | 'home' | 'clock'>,
  { folder: name, kind, id }: FileTarget,
  text: string,
): Promise<string> {
  const folder = join(dataFolders(env, home).state, name);
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const stem = `${kind}-${encodeURIComponent(id).slice(0, 100)}`;
  try {
    makeFolder(folder);
    await chmod(folder, 0o700);
    const file = await writeNew(folder, `${stem}-${time}`, text);
    // What a person wrote is theirs to let go.
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
  // A number that is free again would make the newest look like the oldest.
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

/** Lets go of what is beyond the bounds, the oldest first, and never of what was just written. */
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

/** Lets go of what was kept: nothing was changed after all, or it was sent. */
export const deleteFile = (path: string): Promise<void> => rm(path, { force: true });

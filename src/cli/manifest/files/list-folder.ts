/** Lists a folder of a project on the disk. Something that cannot be read is a problem: it must not look deleted. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { reasonOf } from '../../framework/read-input-file.ts';

export interface FolderItem {
  readonly name: string;
  /** Also true for a link to a folder. */
  readonly isFolder: boolean;
  /** Why the item cannot be read, as the end of a sentence. */
  readonly problem?: string;
}

export interface FolderListing {
  /** Equal for two paths of one folder. */
  readonly identity: string;
  readonly items: readonly FolderItem[];
}

const REMEDY = 'nothing is planned without it: make it readable, or remove it';

/** Lists a folder by its absolute path; `named`: the path that messages show. Throws UsageError if it cannot be read. */
export async function listFolder(named: string, folder: string): Promise<FolderListing> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return {
      identity: await realpath(folder),
      items: await Promise.all(found.map((item) => describeItem(folder, item))),
    };
  } catch (cause) {
    const message = `the folder cannot be read: ${reasonOf(cause)}; ${REMEDY}`;
    throw new UsageError(`${named}: ${message}`, { cause, details: [{ place: named, message }] });
  }
}

/** A pipe or a socket counts as a file, which cannot be read. */
async function describeItem(folder: string, item: Dirent): Promise<FolderItem> {
  const { name } = item;
  if (!item.isSymbolicLink()) return { name, isFolder: item.isDirectory() };
  try {
    return { name, isFolder: (await stat(join(folder, name))).isDirectory() };
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'its target does not exist' : reasonOf(error);
    return { name, isFolder: false, problem: `the link cannot be read: ${reason}; ${REMEDY}` };
  }
}

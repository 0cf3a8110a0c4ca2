/** Lends folders to programs that run under other user ids: those that they cannot reach are copied to where they can. */
import { chmod, copyFile, link, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** Says where programs find a file of the folders that were lent. */
export type PathOf = (path: string) => string;

/**
 * Returns a function that lends folders; each is copied once. `place`: a folder that every user may pass through. What a lent folder holds
 * must be readable for every user. Rejects with what the system says.
 */
export function createFolderSharing(copiesFolder: string): (folders: readonly string[]) => Promise<PathOf> {
  const copies = new Map<string, Promise<string>>();
  let count = 0;

  async function shareOrCopy(folder: string): Promise<string> {
    if (await isReachable(folder)) return folder;
    count += 1;
    const copy = join(copiesFolder, String(count));
    await copyFolder(folder, copy);
    return copy;
  }

  return async (folders) => {
    const shared = await Promise.all(
      folders.map(async (folder) => {
        const copying = copies.get(folder) ?? shareOrCopy(folder);
        copies.set(folder, copying);
        // What failed is tried again by the next cell.
        copying.catch(() => copies.delete(folder));
        return [folder, await copying] as const;
      }),
    );
    return (path) => {
      const [folder, copy] = shared.find(([one]) => path === one || path.startsWith(one + sep)) ?? ['', ''];
      return copy + path.slice(folder.length);
    };
  };
}

/** Whether every user may read the folder, and pass through those above it. */
async function isReachable(path: string): Promise<boolean> {
  const folder = await realpath(path);
  if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (((await stat(above)).mode & 0o001) === 0) return false;
  return true;
}

/** Takes no room for files of the same file system. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}

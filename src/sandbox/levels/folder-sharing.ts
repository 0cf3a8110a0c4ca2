/** Shares folders with programs of other users, and copies those that they cannot reach. */
import { chmod, copyFile, link, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

/** Returns the path at which programs find a file of a shared folder. */
export type PathOf = (path: string) => string;

/**
 * Returns a function that shares folders, each copied at most once. `copiesFolder`: a folder that every user can pass
 * through. Contents must be readable for every user. Rejects with file system errors.
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
        // The next cell retries a failed copy.
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

/** Returns whether every user can read the folder and pass through its parents. */
async function isReachable(path: string): Promise<boolean> {
  const folder = await realpath(path);
  if (((await stat(folder)).mode & 0o005) !== 0o005) return false;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (((await stat(above)).mode & 0o001) === 0) return false;
  return true;
}

/** Copies a folder with hard links, which need no space on the same file system. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => copyFile(source, target));
  }
}

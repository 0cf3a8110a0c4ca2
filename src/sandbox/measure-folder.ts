/** How much the files of a folder hold, where no file system of its own bounds them. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files below; what goes away meanwhile counts for nothing. Stops counting beyond `enough`. */
export async function measureFolder(path: string, maxBytes: number): Promise<number> {
  let sum = 0;
  const folders = [path];
  for (let current = folders.pop(); current !== undefined && sum <= maxBytes; current = folders.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const inside = join(current, entry.name);
      if (entry.isDirectory()) folders.push(inside);
      // What a file takes on the disk, so that holes count for nothing; and each name takes a little.
      const stats = await lstat(inside).catch(() => undefined);
      sum += stats ? stats.blocks * 512 + 256 : 0;
    }
  }
  return sum;
}

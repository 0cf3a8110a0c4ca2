/** Measures the disk usage of a folder that has no separate file system. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the bytes of all files below. Ignores files that disappear. Stops counting above `maxBytes`. */
export async function measureFolder(path: string, maxBytes: number): Promise<number> {
  let sum = 0;
  const folders = [path];
  for (let current = folders.pop(); current !== undefined && sum <= maxBytes; current = folders.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true }).catch(() => [])) {
      const inside = join(current, entry.name);
      if (entry.isDirectory()) folders.push(inside);
      // Allocated blocks exclude holes. Each name adds a small amount.
      const stats = await lstat(inside).catch(() => undefined);
      sum += stats ? stats.blocks * 512 + 256 : 0;
    }
  }
  return sum;
}

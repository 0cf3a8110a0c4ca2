/** Unpacks the archive of a project. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { unzipSync } from 'fflate';

/** Maximum size of an unpacked project without its packages. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Returns the paths of the files, or why the archive cannot be unpacked. */
export function unpackArchive(archive: string, folder: string): string[] | string {
  let bytes = 0;
  try {
    const files = unzipSync(readFileSync(archive), {
      filter({ name, originalSize }) {
        bytes += originalSize;
        if (bytes > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 ** 2} MB`);
        const path = posix.normalize(name);
        if (posix.isAbsolute(path) || path.startsWith('..') || path.includes('\\') || path.includes('\0'))
          throw new Error(`"${name}" points outside the archive`);
        return !name.endsWith('/');
      },
    });
    return Object.entries(files).map(([name, contents]) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contents);
      return path;
    });
  } catch (error) {
    return `the archive of the suite cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Defines packages that npm downloads for sonde, and accepts by their checksum only. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource Integrity of the archive. */
  readonly integrity: string;
}

/** Writes a project in a folder that `npm ci` installs exactly these packages for, without other dependencies. */
export async function writePinnedProject(folder: string, ...pinned: readonly PinnedPackage[]): Promise<void> {
  const dependencies = Object.fromEntries(pinned.map(({ name, version }) => [name, version]));
  const packages = {
    '': { dependencies },
    ...Object.fromEntries(
      pinned.map(({ name, version, integrity }) => [`node_modules/${name}`, { version, integrity }]),
    ),
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

/** Defines packages that npm downloads for sonde, and accepts by their checksum only. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** Subresource Integrity of the archive. */
  readonly integrity: string;
}

/** Writes a project in a folder that `npm ci` installs exactly this package for, without its dependencies. */
export async function writePinnedProject(
  folder: string,
  { name, version, integrity }: PinnedPackage,
): Promise<void> {
  const dependencies = { [name]: version };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

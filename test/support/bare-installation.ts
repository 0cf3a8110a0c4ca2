/** An installation of sonde as its users have it: without the browser that a clone gets from npm for its tests. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BINARY } from './binary.ts';
import { temporaryFolder } from './folder.ts';

const NOT_INSTALLED = new Set(['@sparticuz', '.cache']);

/** Copies what was built, and returns the program. It is gone with the test. */
export async function bareInstallation(): Promise<string> {
  const from = dirname(dirname(BINARY));
  const to = await temporaryFolder();
  for (const name of ['dist', 'package.json']) cpSync(join(from, name), join(to, name), { recursive: true });
  mkdirSync(join(to, 'node_modules'));
  for (const name of readdirSync(join(from, 'node_modules')))
    if (!NOT_INSTALLED.has(name))
      symlinkSync(join(from, 'node_modules', name), join(to, 'node_modules', name));
  return join(to, 'dist/sonde.cjs');
}

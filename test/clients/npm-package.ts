/** Installs npm packages that only tests of clients need: too large for everyone's `node_modules`. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Survives `npm test`, but not `npm ci`. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/clients');
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** Returns the `node_modules` folder of a package, and installs it first if necessary. Throws if npm cannot install it. */
export async function installPackage(name: string, version: string): Promise<string> {
  const folder = join(CACHE, `${name.replaceAll('/', '+')}-${version}`);
  if (existsSync(folder)) return join(folder, 'node_modules');
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', partial];
  try {
    await promisify(execFile)('npm', ['install', ...flags, `${name}@${version}`], {
      timeout: INSTALL_TIMEOUT_MS,
    });
    await rename(partial, folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    // Another test has installed it at the same time.
    if (existsSync(folder)) return join(folder, 'node_modules');
    throw new Error(`npm cannot install ${name}@${version}: this test needs an npm registry`, { cause });
  }
  return join(folder, 'node_modules');
}

/** Installs the npm client of a published deployment of the API, and runs it against a service. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnv, type Ran, sonde } from '../support/binary.ts';
import type { E2eService } from '../support/e2e.ts';

const PACKAGE = 'checkly';
const VERSION = '8.23.2';
/** Kept between runs, because the package has 230 dependencies. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/clients');
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** Returns the folder of the installed packages. Throws if npm cannot install the client. */
export async function installClient(): Promise<string> {
  const folder = join(CACHE, `${PACKAGE}-${VERSION}`);
  if (!existsSync(folder)) await install(folder);
  return join(folder, 'node_modules');
}

/** Installs the client into the folder. Another test may do the same at the same time. */
async function install(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', partial];
  try {
    await promisify(execFile)('npm', ['install', ...flags, `${PACKAGE}@${VERSION}`], {
      timeout: INSTALL_TIMEOUT_MS,
    });
    await rename(partial, folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    if (existsSync(folder)) return;
    const message = `npm cannot install ${PACKAGE}@${VERSION}: this test needs an npm registry`;
    throw new Error(message, { cause });
  }
}

/** Runs the client as a process of its own. */
export type Client = (...args: readonly string[]) => Promise<Ran>;

/** Returns the client of a service. `packages`: what `installClient` returned; `project`: the folder that it runs in. */
export function clientOf(service: E2eService, packages: string, project: string): Client {
  const env = bareEnv(service.home, {
    CI: 'true',
    NO_COLOR: '1',
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: service.url,
    CHECKLY_API_KEY: service.key,
    CHECKLY_ACCOUNT_ID: service.accountId,
    CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
  });
  return (...args) => sonde(args, { env, cwd: project, binary: join(packages, PACKAGE, 'bin/run') });
}

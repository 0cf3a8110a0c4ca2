/** A home for the tests of `sonde browser install`. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bareEnv, type Env, sonde } from '../support/binary.ts';
import { chromiumPath } from '../support/chromium.ts';
import { temporaryFolder } from '../support/folder.ts';

/** The script of a browser that does not start. */
export const BROKEN = 'echo "error while loading shared libraries: libgone.so: cannot open" >&2; exit 127';

/** Makes a home in which nothing is installed. `works`: the script of a browser that works. */
export async function installWorld() {
  const home = await temporaryFolder();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const data = join(home, '.local/share/sonde');
  const envOf = (env: Env) => bareEnv(home, { TMPDIR: temporary, ...env });
  return {
    ...{ home, temporary, data, envOf },
    install: (env: Env, ...args: readonly string[]) =>
      sonde(['browser', 'install', ...args], { env: envOf(env) }),
    /** Accepts the download of Playwright. */
    installFromPlaywright: (env: Env, ...args: readonly string[]) =>
      sonde(['browser', 'install', '--from-playwright', ...args], { env: envOf(env) }),
    works: `exec ${await chromiumPath()} "$@"`,
    /** The names in the folder of browsers. */
    left: () => readdirSync(join(data, 'browser')).sort(),
  };
}

/** Returns the JSON error of an installation whose first browser failed with the reason, and for which npm had no package. */
export const nothingInstalled = (reason: unknown) => ({
  kind: 'network',
  message: 'could not install a browser',
  details: [
    { place: expect.stringMatching(/^Chromium \(playwright-core@/), message: reason },
    {
      place: 'Chromium (@sparticuz/chromium@147.0.0)',
      message: expect.stringMatching(/^could not be downloaded from the npm registry: 404 /),
    },
  ],
  hint: expect.stringContaining('apt-get install chromium'),
});

/** Reads the record of the browser that is in use. */
export const installedIn = (data: string) =>
  JSON.parse(readFileSync(join(data, 'browser/installed.json'), 'utf8')) as Record<string, string>;

/** Which browser is taken, and what is said where there is none. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type BrowserSearch, findBrowser } from '../../../src/runners/browser/find-browser.ts';
import { bareEnv, startSonde } from '../../support/binary.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function searchIn(folder: string, search: Partial<BrowserSearch> = {}) {
  const from = join(folder, 'sonde/package.json');
  return findBrowser({ env: { PATH: '' }, from, folder, execPath: process.execPath, ...search });
}

it('says where there is none how to get one, each way whole', async () => {
  const folder = await temporaryFolder();
  const { problem } = (await searchIn(folder)) as { problem: string };
  expect(problem).toBe(
    `no browser is installed: install Chromium or Chrome (Debian: apt-get install chromium), name one with --browser PATH or SONDE_BROWSER, or, on Linux x64, run: npm install --prefix ${folder} @sparticuz/chromium@147.0.0`,
  );
});

it('takes the first on the PATH that can be run, and what npm brought only where there is none', async () => {
  const folder = await temporaryFolder();
  const npm = join(folder, 'node_modules/@sparticuz/chromium');
  mkdirSync(npm, { recursive: true });
  writeFileSync(
    join(npm, 'package.json'),
    '{"name":"@sparticuz/chromium","type":"module","main":"index.js"}',
  );
  writeFileSync(
    join(npm, 'index.js'),
    'export default { executablePath: async () => process.env.TMPDIR + "/unpacked" };',
  );
  expect(await searchIn(folder)).toEqual({ executablePath: `${folder}/unpacked`, source: 'from npm' });

  const programs = ['one/chromium', 'two/chromium-headless-shell', 'three/google-chrome'].map((name) =>
    join(folder, name),
  );
  for (const path of programs) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
  const env = { PATH: programs.map((path) => dirname(path)).join(':') };
  expect(await searchIn(folder, { env })).toMatchObject({ source: 'from npm' });
  for (const path of programs) chmodSync(path, 0o755);
  expect(await searchIn(folder, { env })).toEqual({ executablePath: programs[1], source: 'installed' });
});

it('is said at the start of a service that has none', async () => {
  const home = await temporaryFolder();
  const service = startSonde(['service', 'start', '--listen', '127.0.0.1:0'], {
    env: bareEnv(home, { PATH: '' }),
  });
  await service.saw('Warning: Browser checks end with an error: no browser is installed: install Chromium');
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
}, 30_000);

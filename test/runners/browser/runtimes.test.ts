/** The runtimes of a machine: which are found, when, and what is said of those that cannot be used. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { SCRIPT_PACKAGES } from '../../../src/contract/script-packages.ts';
import { PLAYWRIGHT } from '../../../src/runners/browser/playwright-packages.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import { BINARY } from '../../support/binary.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = join(import.meta.dirname, '../../..');

async function openRuntimes({ from = root, env = process.env } = {}) {
  const folder = await temporaryFolder();
  return { folder, runtimes: createRuntimes({ from: join(from, 'package.json'), folder, env }) };
}

/** Opens the runtimes of a sonde without Playwright and script packages. `npm`: what npm runs, as a shell script whose second argument is the folder. */
async function openWithoutPlaywright(npm: string) {
  const from = await temporaryFolder();
  writeFileSync(join(from, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${from}${delimiter}${process.env.PATH}` };
  return { from, ...(await openRuntimes({ from, env })) };
}
const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id);

it('finds a runtime that was installed after the start, once all of its packages are there', async () => {
  const { folder, runtimes } = await openRuntimes();
  expect((await runtimes.select(null)).id).toBe('2026.04');
  expect(idsOf(await runtimes.list())).toEqual(['2026.04']);
  const packages = join(folder, '2025.04/node_modules');
  mkdirSync(join(packages, '@playwright'), { recursive: true });
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    await expect(runtimes.select('2025.04')).rejects.toThrow('is not installed');
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  expect((await runtimes.select('2025.04')).folders).toContain(join(root, 'node_modules/playwright'));
  expect(idsOf(await runtimes.list())).toEqual(['2026.04', '2025.04']);
});

it('names the command that installs a missing runtime, and the way to a newer one', async () => {
  const { folder, runtimes } = await openRuntimes();
  await expect(runtimes.select('2025.04')).rejects.toThrow(
    `the runtime 2025.04 is not installed (installed: 2026.04). Install it with: npm install --ignore-scripts --prefix ${folder}/2025.04 @playwright/test@1.60.0. Or move the check to 2026.04 with the image 7.0.2-migrate-202409-202604 (see sonde agent upgrade-path --from 2025-04)`,
  );
});

it('says which Playwright is too old, and does not list its runtime', async () => {
  const { folder, runtimes } = await openRuntimes();
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    const to = join(folder, '2024.09/node_modules', name);
    mkdirSync(to, { recursive: true });
    // As packages before 1.60 are: nothing leads to their test runner.
    const exports = { './package.json': './package.json' };
    writeFileSync(join(to, 'package.json'), JSON.stringify({ name, version: '1.59.1', exports }));
  }
  await expect(runtimes.select('2024.09')).rejects.toThrow(
    'the runtime 2024.09 has Playwright 1.59.1, which is older than 1.60.0. Install it with: npm install',
  );
  expect(idsOf(await runtimes.list())).toEqual(['2026.04']);
});

it('installs the default runtime once, when checks need it', async () => {
  const { from, folder, runtimes } = await openWithoutPlaywright(
    `echo x >> "$0.runs"; cp "$3/package-lock.json" "$0.lock"; ln -s ${join(root, 'node_modules')} "$3/node_modules"`,
  );
  expect(await runtimes.list()).toEqual([]);
  await expect(runtimes.select('2025.04')).rejects.toThrow('is not installed (installed: none)');
  const selected = await Promise.all([runtimes.select(null), runtimes.select('2026.04')]);
  expect(selected.map(({ version }) => version)).toEqual([PLAYWRIGHT[0].version, PLAYWRIGHT[0].version]);
  expect(readFileSync(join(from, 'npm.runs'), 'utf8')).toBe('x\n');
  expect(readFileSync(join(from, 'npm.lock'), 'utf8')).toContain(PLAYWRIGHT[2].integrity);
  expect(readdirSync(folder)).toEqual(['2026.04']);
});

it('names the command and the reason if npm cannot install the default runtime', async () => {
  const printed = ['code ECONNREFUSED', 'network is closed', '', 'If you are behind a proxy, configure it'];
  const lines = printed.map((line) => `echo "npm error ${line}" >&2`);
  const { folder, runtimes } = await openWithoutPlaywright(`${lines.join('; ')}; exit 1`);
  await expect(runtimes.select(null)).rejects.toThrow(
    `the runtime 2026.04 is not installed, and npm cannot install it (network is closed). Install it with: npm install --ignore-scripts --prefix ${folder}/2026.04 @playwright/test@${PLAYWRIGHT[0].version}`,
  );
  expect(readdirSync(folder)).toEqual([]);
});

it('installs the script packages once, from the lock of the build, and keeps only their bundles', async () => {
  const { from, folder, runtimes } = await openWithoutPlaywright(
    `echo x >> "$0.runs"; ln -s ${join(root, 'node_modules')} "$3/node_modules"`,
  );
  cpSync(join(BINARY, '../script-packages'), join(from, 'script-packages'), { recursive: true });
  const packages = runtimes.packages(from);
  await Promise.all([packages.install(), runtimes.packages(from).install()]);
  await packages.install();
  expect(readFileSync(join(from, 'npm.runs'), 'utf8')).toBe('x\n');
  const [name = ''] = readdirSync(folder);
  expect(packages.folder).toBe(join(folder, name, 'packages'));
  expect(readdirSync(join(folder, name))).not.toContain('node_modules');
  for (const path of ['axios/index', 'axios/package.json', '@faker-js/faker/index'])
    expect(
      readFileSync(join(packages.folder, path)).equals(readFileSync(join(BINARY, '../packages', path))),
    ).toBe(true);
  const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { '': project, ...pinned } = JSON.parse(
    readFileSync(join(from, 'script-packages/package-lock.json'), 'utf8'),
  ).packages;
  expect(Object.keys(project.dependencies)).toEqual([...Object.keys(SCRIPT_PACKAGES), 'esbuild']);
  expect(pinned['node_modules/axios'].integrity).toMatch(/^sha512-/);
  for (const [path, { integrity }] of Object.entries<{ integrity: string }>(pinned))
    expect([path, integrity]).toEqual([path, locked[path].integrity]);
});

it('names the reason if npm cannot install the script packages, and tries again', async () => {
  const { from, folder, runtimes } = await openWithoutPlaywright(
    'echo "npm error network is closed" >&2; exit 1',
  );
  cpSync(join(BINARY, '../script-packages'), join(from, 'script-packages'), { recursive: true });
  const { install } = runtimes.packages(from);
  for (const _ of [1, 2])
    await expect(install()).rejects.toThrow(
      'npm cannot install the packages that scripts import (network is closed). Give this machine access to an npm registry, or copy ',
    );
  expect(readdirSync(folder)).toEqual([]);
});

it('pins the packages that package-lock.json has', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = PLAYWRIGHT.map(({ name }) => {
    const { version, integrity } = packages[`node_modules/${name}`];
    return { name, version, integrity };
  });
  expect(PLAYWRIGHT).toEqual(locked);
});

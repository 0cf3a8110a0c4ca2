/** The runtimes of a machine: which are found, when, and what is said of those that cannot be used. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = join(import.meta.dirname, '../../..');

async function openRuntimes() {
  const folder = await temporaryFolder();
  return { folder, runtimes: createRuntimes({ from: join(root, 'package.json'), folder }) };
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

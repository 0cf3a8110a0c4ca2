/** Folders that programs under other user ids cannot reach are lent to them as copies. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFolderSharing } from '../../src/sandbox/levels/uid.ts';

async function world() {
  const root = await mkdtemp(join(tmpdir(), 'sonde-lender-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const browser = join(root, 'private/browser');
  mkdirSync(join(browser, 'lib'), { recursive: true });
  writeFileSync(join(browser, 'shell'), 'program');
  writeFileSync(join(browser, 'lib/one.so'), 'library');
  for (const path of [browser, join(browser, 'lib'), join(browser, 'shell')]) chmodSync(path, 0o755);
  const place = join(root, 'lent');
  mkdirSync(place);
  return { root, browser, lend: createFolderSharing(place) };
}

it('lends a folder as it is where every user reaches it', async () => {
  const { root, browser, lend } = await world();
  chmodSync(join(browser, '..'), 0o711);
  const pathOf = await lend([browser]);
  expect(pathOf(join(browser, 'shell'))).toBe(join(browser, 'shell'));
  expect(readdirSync(join(root, 'lent'))).toEqual([]);
});

it('copies a folder in a private one once, for every user, and leaves other paths as they are', async () => {
  const { root, browser, lend } = await world();
  chmodSync(join(browser, '..'), 0o700);
  const [pathOf, again] = await Promise.all([lend([browser]), lend([browser])]);
  const shell = pathOf(join(browser, 'shell'));
  expect(shell).toBe(join(root, 'lent/1/shell'));
  expect(again(join(browser, 'shell'))).toBe(shell);
  expect(readdirSync(join(root, 'lent'))).toEqual(['1']);
  expect(readFileSync(join(root, 'lent/1/lib/one.so'), 'utf8')).toBe('library');
  const modes = ['lent/1', 'lent/1/lib', 'lent/1/shell'].map((path) =>
    (statSync(join(root, path)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['755', '755', '755']);
  expect(pathOf(`${browser}-other/shell`)).toBe(`${browser}-other/shell`);
});

it('tries again where a copy failed', async () => {
  const { root, browser, lend } = await world();
  chmodSync(join(browser, '..'), 0o700);
  renameSync(join(root, 'lent'), join(root, 'away'));
  await expect(lend([browser])).rejects.toThrow('ENOENT');
  renameSync(join(root, 'away'), join(root, 'lent'));
  const pathOf = await lend([browser]);
  expect(readFileSync(pathOf(join(browser, 'shell')), 'utf8')).toBe('program');
});

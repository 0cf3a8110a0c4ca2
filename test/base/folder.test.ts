import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../src/base/files.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('folders that are missing are made for their owner alone, and those that are there stay', () => {
  const path = join(temporary(), 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  for (const each of [path, join(path, '..'), join(path, '../..')])
    expect(statSync(each).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  const path = join(temporary(), 'file');
  writeFileSync(path, '');
  expect(() => makeFolder(path)).toThrow('EEXIST');
  expect(() => makeFolder(join(path, 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')(
  'where no folder can be made, that is said and not tried for ever',
  () => {
    expect(() => makeFolder('/proc/nowhere/below')).toThrow('ENOENT');
  },
);

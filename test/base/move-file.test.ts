/** Moving a file, also where its name cannot simply be changed. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moveFile } from '../../src/base/move-file.ts';
import { temporaryFolder } from '../support/folder.ts';

it('moves by its name within one file system', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a'), 'x');
  const { ino } = await stat(join(folder, 'a'));
  await moveFile(join(folder, 'a'), join(folder, 'b'));
  expect(await readdir(folder)).toEqual(['b']);
  expect((await stat(join(folder, 'b'))).ino).toBe(ino);
  await expect(moveFile(join(folder, 'a'), join(folder, 'c'))).rejects.toThrow('ENOENT');
});

/** Makes a folder on another file system than that of `folder`. */
async function folderBeyond(folder: string): Promise<string | undefined> {
  const { dev } = await stat(folder);
  for (const path of ['/dev/shm', '/var/tmp'])
    if ((await stat(path).catch(() => undefined))?.dev !== dev)
      return mkdtemp(`${path}/sonde-move-`).catch(() => undefined);
  return undefined;
}

it('copies to another file system, for its owner alone, and leaves nothing of what fails', async ({
  skip,
}) => {
  const folder = await temporaryFolder();
  const elsewhere = await folderBeyond(folder);
  if (elsewhere === undefined) return skip('there is no second file system here');
  try {
    const contents = Buffer.alloc(3_000_000, 'contents');
    const from = join(folder, 'a');
    await writeFile(from, contents);
    await chmod(from, 0o644);
    await moveFile(from, join(elsewhere, 'b'));
    expect(contents.equals(await readFile(join(elsewhere, 'b')))).toBe(true);
    expect((await stat(join(elsewhere, 'b'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual([]);
    await mkdir(from);
    await expect(moveFile(from, join(elsewhere, 'c'))).rejects.toThrow('EISDIR');
    expect(await readdir(elsewhere)).toEqual(['b']);
    expect(await readdir(folder)).toEqual(['a']);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
  return undefined;
});

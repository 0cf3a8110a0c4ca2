/** Where runs put the files that they leave: nothing stays there, whichever way a run or its process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { getInstanceName, isInstanceGone } from '../../../src/runners/files/instance-name.ts';
import { createRunFileStore } from '../../../src/runners/files/run-file-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goneInstance } from '../../support/left-files.ts';

const placesIn = (folder: string) =>
  createRunFileStore({
    folder,
    onError(message, error) {
      throw new Error(message, { cause: error });
    },
  });

it('makes nothing before there is a file, and a file for its owner alone', async () => {
  const folder = join(await temporaryFolder(), 'runs');
  const place = placesIn(folder).open();
  expect(existsSync(folder)).toBe(false);
  const file = await place.create();
  await file.write(Buffer.from('one '));
  await file.write(Buffer.from('two'));
  const { path, bytes } = await file.end();
  expect({ text: await readFile(path, 'utf8'), bytes }).toEqual({ text: 'one two', bytes: 7 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  await place.close();
});

it('takes away with a run what nobody took, finished or not, and nothing of what was taken or of another run', async () => {
  const folder = await temporaryFolder();
  const places = placesIn(join(folder, 'runs'));
  const [one, other] = [places.open(), places.open()];
  const [left, taken, dropped, begun] = [
    await one.create(),
    await one.create(),
    await one.create(),
    await one.create(),
  ];
  await begun.write(Buffer.from('half'));
  await left.end();
  await dropped.discard();
  await rename((await taken.end()).path, join(folder, 'taken'));
  const kept = await (await other.create()).end();
  await one.close();
  await expect(one.create()).rejects.toThrow('the run has ended');
  await expect(begun.write(Buffer.from('late'))).rejects.toThrow();
  expect(await readdir(join(folder, 'runs'))).toEqual([getInstanceName()]);
  expect(existsSync(join(folder, 'taken'))).toBe(true);
  expect(existsSync(kept.path)).toBe(true);
  await other.close();
  expect(await readdir(join(folder, 'runs'))).toEqual([]);
});

it('sweeps what a killed process left, at once; of who is not known to be gone once it is old', async () => {
  const folder = await temporaryFolder();
  const names = [await goneInstance(), 'other-machine-1-2', 'old-machine-1-2', getInstanceName()];
  for (const name of names) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'file'), 'x');
  }
  const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
  await utimes(join(folder, 'old-machine-1-2'), longAgo, longAgo);
  await placesIn(folder).sweep();
  expect((await readdir(folder)).sort()).toEqual(['other-machine-1-2', getInstanceName()].sort());
  await placesIn(join(folder, 'missing')).sweep();
});

it('tells a process that lives from one that ended under the same number', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
  const text = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const startedAt = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  const name = getInstanceName().replace(/-\d+-\d+$/, `-${child.pid}-${startedAt}`);
  expect(isInstanceGone(name)).toBe(false);
  expect(isInstanceGone(`${name}1`)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isInstanceGone(name)).toBe(true);
  expect(isInstanceGone(getInstanceName())).toBe(false);
  expect(isInstanceGone('another')).toBeUndefined();
});

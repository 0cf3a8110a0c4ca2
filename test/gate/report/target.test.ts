/** Where reports go: files in one step and as they were, everything else as what it is. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { replaceFile, targetOf, writeStream } from '../../../src/gate/report/target.ts';
import { createManualClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const run = promisify(execFile);
const fifo = async (path: string): Promise<string> => {
  await run('mkfifo', [path]);
  return path;
};

test('a new file has the mode that the system gives one, and leaves nothing beside it', async () => {
  const folder = await temporaryFolder();
  const umask = process.umask(0o027);
  onTestFinished(() => void process.umask(umask));
  replaceFile(join(folder, 'r.xml'), 'text');
  expect(readFileSync(join(folder, 'r.xml'), 'utf8')).toBe('text');
  expect(statSync(join(folder, 'r.xml')).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['r.xml']);
});

test('a file that is there keeps its mode, and whoever has it open keeps reading the old text', async () => {
  const path = join(await temporaryFolder(), 'r.xml');
  writeFileSync(path, 'before');
  chmodSync(path, 0o604);
  const open = openSync(path, 'r');
  replaceFile(path, 'after, and longer');
  expect(statSync(path).mode & 0o777).toBe(0o604);
  const bytes = Buffer.alloc(20);
  expect(bytes.toString('utf8', 0, readSync(open, bytes))).toBe('before');
  expect(readFileSync(path, 'utf8')).toBe('after, and longer');
});

test('two ways into a folder lead to one place', async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'there'));
  symlinkSync('there', join(folder, 'here'));
  symlinkSync('here/r.xml', join(folder, 'link'));
  const path = join(folder, 'there/r.xml');
  for (const name of ['there/r.xml', 'here/r.xml', 'link']) expect(targetOf(folder, name).path).toBe(path);
  expect(targetOf(folder, 'nowhere/r.xml').path).toBe(join(folder, 'nowhere/r.xml'));
});

test('links are followed, also to what is not there yet, and stay links', async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'there'));
  symlinkSync('there/r.xml', join(folder, 'one'));
  symlinkSync('one', join(folder, 'two'));
  const { path, isStream } = targetOf(folder, 'two');
  expect([path, isStream]).toEqual([join(folder, 'there/r.xml'), false]);
  replaceFile(path, 'text');
  expect(readFileSync(join(folder, 'two'), 'utf8')).toBe('text');
  symlinkSync('round', join(folder, 'round'));
  expect(() => targetOf(folder, 'round')).toThrow(expect.objectContaining({ code: 'ELOOP' }));
});

test.each([
  ['no folder', 'none/r.xml', 'ENOENT'],
  ['a folder', '.', 'EISDIR'],
  ['a file for its folder', 'file/r.xml', 'ENOTDIR'],
  ['a name too long', 'x'.repeat(300), 'ENAMETOOLONG'],
])('%s is an error of the system, and leaves nothing behind', async (_, name, code) => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const write = () => replaceFile(targetOf(folder, name).path, 'text');
  expect(write).toThrow(expect.objectContaining({ code }));
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a pipe, a device, and what the process has open are written to and not replaced', async () => {
  const folder = await temporaryFolder();
  const pipe = await fifo(join(folder, 'pipe'));
  expect(targetOf(folder, 'pipe')).toEqual({ path: pipe, isStream: true });
  expect(targetOf(folder, '/dev/full').isStream).toBe(true);
  // To replace the file behind it would take it away from whoever writes to it.
  const log = openSync(join(folder, 'log'), 'w');
  expect(targetOf(folder, `/dev/fd/${log}`).isStream).toBe(true);
  symlinkSync(`/proc/self/fd/${log}`, join(folder, 'link'));
  expect(targetOf(folder, 'link').isStream).toBe(true);
});

test('a full device says so', async () => {
  await expect(writeStream('/dev/full', 'text', systemClock)).rejects.toMatchObject({ code: 'ENOSPC' });
});

test('a pipe without a reader is no reason to wait', async () => {
  const pipe = await fifo(join(await temporaryFolder(), 'pipe'));
  await expect(writeStream(pipe, 'text', systemClock)).rejects.toMatchObject({ code: 'ENXIO' });
});

test('a reader gets the whole text, however slowly it reads', async () => {
  const pipe = await fifo(join(await temporaryFolder(), 'pipe'));
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const text = 'line\n'.repeat(100_000);
  const bytes = Buffer.alloc(30_000);
  let read = '';
  // It reads a piece whenever the writer rests.
  const take = () => {
    read += bytes.toString('utf8', 0, readSync(reader, bytes));
  };
  const clock = { ...systemClock, sleep: async () => take() };
  await writeStream(pipe, text, clock);
  while (read.length < text.length) take();
  expect(read).toBe(text);
});

test('a reader that takes nothing any more is given up', async () => {
  const pipe = await fifo(join(await temporaryFolder(), 'pipe'));
  openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const clock = createManualClock();
  const instant = { ...clock, sleep: (ms: number) => clock.advance(ms) };
  await expect(writeStream(pipe, 'x'.repeat(1_000_000), instant)).rejects.toMatchObject({ code: 'EAGAIN' });
  expect(clock.monotonic()).toBeLessThan(6_000);
});

/** Does something as a user to whom something can be forbidden, which the superuser is not. */
function asNobody(folder: string, work: () => void): void {
  const nobody = 65534;
  if (process.geteuid?.() !== 0) {
    work();
    return;
  }
  chownSync(folder, nobody, nobody);
  for (const name of readdirSync(folder)) chownSync(join(folder, name), nobody, nobody);
  process.seteuid?.(nobody);
  try {
    work();
  } finally {
    process.seteuid?.(0);
  }
}

test('a file whose folder takes no new ones is written where it is', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'r.xml');
  writeFileSync(path, 'before, and longer');
  asNobody(folder, () => {
    chmodSync(folder, 0o500);
    try {
      replaceFile(path, 'after');
    } finally {
      chmodSync(folder, 0o700);
    }
  });
  expect(readFileSync(path, 'utf8')).toBe('after');
});

test('a file that may only be read stays, though its folder would let it be replaced', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'r.xml');
  writeFileSync(path, 'before');
  chmodSync(path, 0o400);
  asNobody(folder, () => {
    expect(() => replaceFile(path, 'after')).toThrow(expect.objectContaining({ code: 'EACCES' }));
  });
  expect(readFileSync(path, 'utf8')).toBe('before');
});

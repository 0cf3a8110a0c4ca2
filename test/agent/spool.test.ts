/** The spool: results on disk, whole or not at all, found again by whoever starts next. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSpool, type Result } from '../../src/agent/spool.ts';
import { getInstanceName } from '../../src/runners/files/instance-name.ts';
import { GOOD } from '../service/agents/support.ts';
import { temporaryFolder } from '../support/folder.ts';
import { goneInstance } from '../support/left-files.ts';

const LOCATION = '11111111-1111-4111-8111-111111111111';
const opened = (folder: string, broken: string[] = []) =>
  openSpool(folder, LOCATION, (file) => void broken.push(file));

let count = 0;
async function fileIn(folder: string, contents: string): Promise<string> {
  count += 1;
  const path = join(folder, `left-${count}`);
  await writeFile(path, contents);
  return path;
}

function resultAt(stoppedAt: number, artifacts: Result['artifacts'] = []): Result {
  return {
    ...{ agentId: randomUUID(), claimId: randomUUID(), runId: 7, resultId: randomUUID() },
    ...{ report: { ...GOOD, startedAt: stoppedAt - 5, stoppedAt }, artifacts },
  };
}

it('gives back what was put, the oldest first, with its files in parts, until it is done', async () => {
  const folder = await temporaryFolder();
  const id = randomUUID();
  const file = { id, kind: 'trace' as const, name: 'trace.zip', contentType: 'application/zip', bytes: 10 };
  const [later, sooner] = [resultAt(2000), resultAt(1000, [file])];
  await opened(folder).put(later, new Map());
  const from = await fileIn(folder, '0123456789');
  await opened(folder).put(sooner, new Map([[id, from]]));
  expect(existsSync(from)).toBe(false);
  const found = await opened(folder).list();
  expect(found.map(({ result }) => result)).toEqual([sooner, later]);
  const [first] = found;
  expect(Buffer.from((await first?.read(id, 4, 4)) ?? [])).toEqual(Buffer.from('4567'));
  expect(Buffer.from((await first?.read(id, 8, 100)) ?? [])).toEqual(Buffer.from('89'));
  expect(await first?.isGone()).toBe(false);
  await first?.remove();
  expect(await first?.isGone()).toBe(true);
  expect(await readdir(join(folder, LOCATION))).toEqual([`${later.resultId}.json`]);
});

it('is for its user alone, whatever the folder above lets others do', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const result = resultAt(1);
  await opened(folder).put(result, new Map());
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await modeOf(join(folder, LOCATION))).toBe(0o700);
  expect(await modeOf(join(folder, LOCATION, `${result.resultId}.json`))).toBe(0o600);
});

it('leaves nothing of what could not be written whole', async () => {
  const folder = await temporaryFolder();
  const id = randomUUID();
  const spool = opened(folder);
  const file = { id, kind: 'trace' as const, name: 't', contentType: 'x/y', bytes: 1 };
  const [from, missing] = [await fileIn(folder, 'x'), join(folder, 'missing')];
  const files = new Map([
    [id, from],
    [randomUUID(), missing],
  ]);
  await expect(spool.put(resultAt(1, [file]), files)).rejects.toThrow('ENOENT');
  expect(await readdir(join(folder, LOCATION))).toEqual([]);
  // What was moved is where it was.
  expect(await readFile(from, 'utf8')).toBe('x');
});

it('removes at once what a killed agent was writing, with the files that it had moved by then', async () => {
  const folder = await temporaryFolder();
  const spool = opened(folder);
  const place = join(folder, LOCATION);
  const [id, other] = [randomUUID(), randomUUID()];
  const file = { id, kind: 'trace' as const, name: 't', contentType: 'x/y', bytes: 1 };
  const gone = await goneInstance();
  await writeFile(join(place, `${randomUUID()}.${gone}.new`), JSON.stringify(resultAt(1, [file])));
  await writeFile(join(place, `${randomUUID()}.${gone}.new`), '{"half');
  await writeFile(join(place, `${id}.file`), 'x');
  const mine = `${randomUUID()}.${getInstanceName()}.new`;
  await writeFile(join(place, mine), '{}');
  await writeFile(join(place, `${other}.file`), 'of who is not known to be gone');
  expect(await spool.list()).toEqual([]);
  expect((await readdir(place)).sort()).toEqual([mine, `${other}.file`].sort());
});

it('keeps aside what a disk has lost a part of, and removes what nobody finished writing, once it is old', async () => {
  const folder = await temporaryFolder();
  const broken: string[] = [];
  const spool = opened(folder, broken);
  const place = join(folder, LOCATION);
  const whole = resultAt(1);
  await spool.put(whole, new Map());
  await writeFile(join(place, 'half.json'), '{"report": {"stop');
  for (const name of ['old.json.new', 'old.file', 'young.file']) await writeFile(join(place, name), 'x');
  const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
  for (const name of ['old.json.new', 'old.file']) await utimes(join(place, name), longAgo, longAgo);
  expect((await spool.list()).map(({ result }) => result)).toEqual([whole]);
  expect(broken).toEqual(['half.json']);
  expect((await readdir(place)).sort()).toEqual([`${whole.resultId}.json`, 'refused', 'young.file'].sort());
  expect(await readdir(join(place, 'refused'))).toEqual(['half.json']);
});

it('stays in its folder, whatever ID the service gives to the location', async () => {
  const folder = await temporaryFolder();
  const [victim, spool] = [join(folder, 'victim'), join(folder, 'data/spool')];
  for (const path of [victim, spool]) await mkdir(path, { recursive: true });
  const kept = ['package.json', 'x.file', 'y.new'];
  for (const name of kept) await writeFile(join(victim, name), 'not a result');
  const old = new Date(Date.now() - 100 * 3600_000);
  for (const name of kept) await utimes(join(victim, name), old, old);
  for (const id of ['../../victim', victim, '..', '.', '', '../../victim/', `${'../'.repeat(20)}${victim}`]) {
    const hostile = openSpool(spool, id, () => {});
    await hostile.list();
    await hostile.put(resultAt(1), new Map());
    expect(await hostile.list()).toHaveLength(1);
  }
  expect((await readdir(victim)).sort()).toEqual(kept);
  expect((await readdir(folder)).sort()).toEqual(['data', 'victim']);
  expect(await readdir(join(folder, 'data'))).toEqual(['spool']);
});

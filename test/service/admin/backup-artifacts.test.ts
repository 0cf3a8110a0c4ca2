/** A backup brings back the pictures and traces of runs on a machine that has never seen them. */
import { createReadStream, createWriteStream, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { inspectBackup, restoreBackup, writeBackup } from '../../../src/service/main.ts';
import { createService } from '../../../src/service/service.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { leaving, PIXEL, runBrowserCheck } from '../http/pages/browser-runs.ts';
import { get, startWorld } from '../http/pages/world.ts';

const placesOf = (folder: string) => ({
  store: join(folder, 'service.db'),
  artifacts: join(folder, 'artifacts'),
});
const PICTURE = {
  kind: 'screenshot',
  name: 'failure.png',
  contentType: 'image/png',
  contents: PIXEL,
} as const;
const TRACE = {
  kind: 'trace',
  name: 'trace.zip',
  contentType: 'application/zip',
  contents: Buffer.from(`PK ${'trace '.repeat(200)}`),
} as const;

/** A service over a folder, whose one run left a picture and a trace; its result's page, and a way to back it up. */
async function ranIn(folder: string) {
  const { store, artifacts } = placesOf(folder);
  const leaves = leaving({ artifacts: [PICTURE, TRACE], errors: ['it was not there'] });
  const world = await startWorld({ store: { path: store }, engine: { runners: leaves.runners } });
  const { result } = await runBrowserCheck(world);
  const backup = (file: string, withArtifacts = true) =>
    writeBackup(file, (to) => world.store.backup(to), withArtifacts ? artifacts : undefined);
  return { world, result, backup };
}

test('a restored result still shows its picture, on a machine that never ran it', async () => {
  const [one, two] = [await temporaryFolder(), await temporaryFolder()];
  const { world, result, backup } = await ranIn(one);
  const file = join(two, 'monitoring.backup');
  const written = await backup(file);
  expect(written).toMatchObject({ results: 1, artifacts: 2, missing: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(backup(file)).rejects.toThrow('already exists');
  await world.close();
  rmSync(one, { recursive: true });

  const target = placesOf(join(two, 'data'));
  const aside = await restoreBackup(file, { ...target, stamp: 'now' });
  expect(aside).toEqual({ store: undefined, artifacts: undefined });
  expect(statSync(target.artifacts).mode & 0o777).toBe(0o700);
  // Nothing of the pictures stays in the store itself, and nothing beside it.
  expect(await inspectBackup(target.store)).toMatchObject({ results: 1, artifacts: undefined });
  expect(readdirSync(join(two, 'data')).sort()).toEqual(['artifacts', 'service.db']);
  const restored = await createService({
    ...{ store: { path: target.store }, listen: { host: '127.0.0.1', port: 0 } },
    ...{ clock: systemClock, random: systemRandom },
  });
  const { url } = await restored.start();
  const page = await (await get({ url }, result)).text();
  const [address = ''] = page.match(/(?<=src=")[^"]+\/artifacts\/[^"]+/) ?? [];
  const picture = await get({ url }, address);
  expect(Buffer.from(await picture.arrayBuffer())).toEqual(PIXEL);
  await restored.stop();
});

test('without pictures and traces a backup is small, says so, and leaves those that lie there', async () => {
  const folder = await temporaryFolder();
  const { world, backup } = await ranIn(folder);
  const [small, whole] = [join(folder, 'small'), join(folder, 'whole')];
  expect(await backup(small, false)).toMatchObject({ artifacts: undefined, missing: 0 });
  await backup(whole);
  expect(statSync(small).size).toBeLessThan(statSync(whole).size);
  await world.close();
  const target = placesOf(folder);
  const before = readdirSync(target.artifacts);
  expect(before.length).toBeGreaterThan(0);
  expect(await restoreBackup(small, { ...target, stamp: 'one' })).toMatchObject({ artifacts: undefined });
  expect(readdirSync(target.artifacts)).toEqual(before);
  const aside = await restoreBackup(whole, { ...target, stamp: 'two' });
  expect(aside).toEqual({ store: `${target.store}.before-two`, artifacts: `${target.artifacts}.before-two` });
  expect(readdirSync(aside.artifacts ?? '')).toEqual(before);
  // But for where runs put theirs until they are kept.
  expect(readdirSync(target.artifacts).sort()).toEqual(before.filter((name) => name !== 'runs').sort());
});

test('what is missing is told, what is damaged is refused, and neither leaves a trace', async () => {
  const folder = await temporaryFolder();
  const { world, backup } = await ranIn(folder);
  const target = placesOf(folder);
  const file = join(folder, 'backup');
  await backup(file);
  const [shelf = ''] = readdirSync(target.artifacts).filter((name) => name !== 'runs');
  rmSync(join(target.artifacts, shelf), { recursive: true });
  const thin = await backup(join(folder, 'thin'));
  expect(thin.missing).toBeGreaterThan(0);
  expect((thin.artifacts ?? 0) + thin.missing).toBe(2);
  await world.close();

  // The words of the trace stand in the file as they are: one of them is changed on its way.
  const damaged = join(folder, 'damaged');
  let done = false;
  await pipeline(
    createReadStream(file),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        const at = done ? -1 : chunk.indexOf('trace trace');
        if (at >= 0) {
          chunk.write('TRACE', at);
          done = true;
        }
        yield chunk;
      }
    },
    createWriteStream(damaged),
  );
  expect(done).toBe(true);
  const fresh = join(folder, 'fresh');
  await mkdir(fresh);
  await expect(restoreBackup(damaged, { ...placesOf(fresh), stamp: 'x' })).rejects.toThrow('damaged');
  expect(readdirSync(fresh)).toEqual([]);
  expect(existsSync(`${file}.making`)).toBe(false);
});

/** `sonde quickstart` that is stopped, at any moment, leaves neither files nor processes behind. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listPids, readProcFile } from '../../src/sandbox/cell/procfs.ts';
import { bareEnv, watchSonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sampleOf } from '../support/sampled.ts';

/** Moments of the walk, by what its folder holds or what it has said. */
const MOMENTS: Readonly<Record<string, (folder: string, said: string) => boolean>> = {
  'as soon as it has a folder': () => true,
  'once it has begun to start the service': (folder) => existsSync(join(folder, 'data/sonde/service.log')),
  'once the service has begun to make its store': (folder) =>
    existsSync(join(folder, 'data/sonde/service.db')),
  'once the service listens': (folder) => existsSync(join(folder, 'data/sonde/service.json')),
  'while a check runs': (_, said) => said.includes('checks run --tag good'),
};

test.each(
  sampleOf(Object.keys(MOMENTS), 2).map(
    (moment, at) => [at % 2 === 0 ? 'SIGINT' : 'SIGTERM', moment] as const,
  ),
)('%s %s leaves neither a file nor a process', async (signal, moment) => {
  const root = await temporaryFolder();
  const [home, temporary] = [join(root, 'home'), join(root, 'tmp')];
  for (const path of [home, temporary]) mkdirSync(path);
  const walk = watchSonde(['quickstart'], { env: bareEnv(home, { TMPDIR: temporary }) });
  const isTime = () => {
    const name = readdirSync(temporary).find((one) => one.startsWith('sonde-quickstart-'));
    return name !== undefined && MOMENTS[moment]?.(join(temporary, name), walk.stderr()) === true;
  };
  while (!isTime()) await new Promise((resolve) => setTimeout(resolve, 5));
  walk.child.kill(signal);
  const { code } = await walk.ended;
  expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
  expect(listPids().filter((pid) => readProcFile(`/proc/${pid}/environ`)?.includes(root))).toEqual([]);
});

test('npm start ends once the walk has cleaned up', async () => {
  const root = await temporaryFolder();
  const [home, temporary] = [join(root, 'home'), join(root, 'tmp')];
  for (const path of [home, temporary]) mkdirSync(path);
  const start = spawn(process.execPath, ['scripts/start.mjs'], { env: bareEnv(home, { TMPDIR: temporary }) });
  const ended = new Promise((resolve) => start.once('close', resolve));
  let said = '';
  for (const stream of [start.stdout, start.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  while (!said.includes('$ sonde service start')) await new Promise((resolve) => setTimeout(resolve, 5));
  start.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(readdirSync(temporary)).toEqual([]);
  expect(listPids().filter((pid) => readProcFile(`/proc/${pid}/environ`)?.includes(root))).toEqual([]);
});

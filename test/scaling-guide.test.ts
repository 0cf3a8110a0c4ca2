/** What the guide to several services on one Postgres database says is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';
import { openPostgres } from './support/postgres.ts';

const GUIDE = 'docs/scaling.md';
const isStarted = /sonde service start --detach --data (\S+)/g;

const guide = testGuide(GUIDE, {
  env: async () => ({ SONDE_DATABASE_URL: await (await openPostgres()).createDatabase() }),
  startsService: true,
});

test('services of the guide have folders of their own, and one is left to be stopped', async () => {
  const folders = [...readFileSync(GUIDE, 'utf8').matchAll(isStarted)].map(([, folder]) => folder);
  expect(new Set(folders).size).toBe(2);
  const { shell } = guide();
  const second = `--data ${join(shell.folder, 'second')}`;
  const { stdout } = await shell.run(`sonde service status ${second}`);
  expect(stdout).not.toBe('');
  expect((await shell.run(`sonde service stop ${second}`)).code).toBe(0);
});

/** What the guide to several services on one Postgres database says is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';
import { openPostgres } from './support/postgres.ts';

const GUIDE = 'docs/scaling.md';
const isStarted = /sonde service start --detach --data (\S+)/g;

const shell = testGuide(GUIDE, async () => ({
  SONDE_DATABASE_URL: await (await openPostgres()).createDatabase(),
}));

test('services of the guide have folders of their own, and one is left to be stopped', async () => {
  const folders = [...readFileSync(GUIDE, 'utf8').matchAll(isStarted)].map(([, folder]) => folder);
  expect(new Set(folders).size).toBe(2);
  const { folder, run } = shell();
  const { stdout } = await run(`sonde service status --data ${join(folder, 'second')}`);
  expect(stdout).not.toBe('');
  expect((await run(`sonde service stop --data ${join(folder, 'second')}`)).code).toBe(0);
});

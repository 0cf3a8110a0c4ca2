/** A service over a SQLite file whose disk is full or read-only, or that is removed: it lives on, says so, and goes on afterwards. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { smallDisk } from '../../support/endurance/faults.ts';
import { eventually } from '../../support/eventually.ts';
import { send } from '../../support/send.ts';
import {
  makeCheck,
  makeHome,
  type ServiceProcess,
  spawnService,
  startService,
  trigger,
  untilOnePasses,
  untilReadyIs,
} from './process.ts';

let disk: ReturnType<typeof smallDisk>;
let home: string;
let at: ServiceProcess;
let checkId: string;

beforeEach(async ({ skip }) => {
  home = makeHome();
  disk = smallDisk(home, 24);
  onTestFinished(() => {
    at.child.kill('SIGKILL');
    disk.remove();
  });
  if (!disk.isSmall) skip('no disk may be mounted here');
  at = await startService({ home, args: ['--data', disk.folder, '--grace', '3s'] });
  checkId = await makeCheck(at);
  await untilOnePasses(at, checkId);
});

async function endsInTime(): Promise<void> {
  const ended = new Promise((resolve) => at.child.once('exit', resolve));
  const began = performance.now();
  at.child.kill('SIGTERM');
  await ended;
  expect(performance.now() - began).toBeLessThan(4000);
}

const reasonOf = async (): Promise<unknown> =>
  ((await send(at, 'GET /ready')).body as { readonly reason?: unknown }).reason;

/** The service looks each second whether a write is accepted again. */
async function staysUnready(): Promise<void> {
  const until = performance.now() + 2500;
  while (performance.now() < until) expect((await send(at, 'GET /ready')).status).toBe(503);
}

async function takesNoStart(): Promise<void> {
  await eventually(async () => {
    const answer = await trigger(at, checkId);
    expect(answer?.status, JSON.stringify(answer?.body)).toBe(503);
    expect(answer?.headers.get('retry-after')).toBe('1');
  });
}

test('a full disk', async () => {
  disk.fill();
  await takesNoStart();
  expect(await untilReadyIs(at, 503)).toBeLessThan(2000);
  expect(await reasonOf()).toBe('the disk of the database is full');
  await staysUnready();
  expect((await send(at, 'GET /v1/checks')).status).toBe(200);
  disk.free();
  const began = performance.now();
  await untilOnePasses(at, checkId);
  expect(performance.now() - began).toBeLessThan(5000);
  await untilReadyIs(at, 200);
  disk.fill();
  await takesNoStart();
  await endsInTime();
});

test('a file that is removed', async () => {
  rmSync(join(disk.folder, 'service.db'));
  expect(await untilReadyIs(at, 503)).toBeLessThan(2000);
  expect(await reasonOf()).toBe('the file of the database was removed or replaced');
  await endsInTime();
});

test('a folder that another service has', async () => {
  const second = spawnService({ home, args: ['--data', disk.folder] });
  expect(await second.ended).toBe(2);
  expect(second.said()).toContain('is in use by another service');
  await untilOnePasses(at, checkId);
  expect((await untilReadyIs(at, 200)) >= 0).toBe(true);
});

test('a folder that becomes read-only while the service runs, and a start over it', async () => {
  disk.protect();
  await untilOnePasses(at, checkId);
  await endsInTime();
  expect([at.child.exitCode, at.said()]).toEqual([0, expect.not.stringContaining('bug in sonde')]);
  const second = spawnService({ home, args: ['--data', disk.folder] });
  expect([await second.ended, second.said()]).toEqual([2, expect.stringContaining('cannot be written')]);
});

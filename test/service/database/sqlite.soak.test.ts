/** Tests a service whose SQLite disk is full or read-only, or whose file is removed: it reports the fault, and recovers. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { smallDisk } from '../../support/endurance/faults.ts';
import { eventually } from '../../support/eventually.ts';
import { send } from '../../support/send.ts';
import {
  createCheck,
  createHome,
  type ServiceProcess,
  spawnService,
  startService,
  trigger,
  waitForPassedSession,
  waitForReadyStatus,
} from './process.ts';

let disk: ReturnType<typeof smallDisk>;
let home: string;
let at: ServiceProcess;
let checkId: string;

beforeEach(async ({ skip }) => {
  home = createHome();
  disk = smallDisk(home, 24);
  onTestFinished(() => {
    at.child.kill('SIGKILL');
    disk.remove();
  });
  if (!disk.isSmall) skip('no disk may be mounted here');
  at = await startService({ home, args: ['--data', disk.folder, '--grace', '3s'] });
  checkId = await createCheck(at);
  await waitForPassedSession(at, checkId);
});

async function expectEndInTime(): Promise<void> {
  const ended = new Promise((resolve) => at.child.once('exit', resolve));
  const began = performance.now();
  at.child.kill('SIGTERM');
  await ended;
  expect(performance.now() - began).toBeLessThan(4000);
}

const readReason = async (): Promise<unknown> =>
  ((await send(at, 'GET /ready')).body as { readonly reason?: unknown }).reason;

/** Waits longer than the service takes to test for writes again. */
async function expectNotReady(): Promise<void> {
  const until = performance.now() + 2500;
  while (performance.now() < until) expect((await send(at, 'GET /ready')).status).toBe(503);
}

async function expectStartRejected(): Promise<void> {
  await eventually(async () => {
    const answer = await trigger(at, checkId);
    expect(answer?.status, JSON.stringify(answer?.body)).toBe(503);
    expect(answer?.headers.get('retry-after')).toBe('1');
  });
}

test('a full disk', async () => {
  disk.fill();
  await expectStartRejected();
  expect(await waitForReadyStatus(at, 503)).toBeLessThan(2000);
  expect(await readReason()).toBe('the disk of the database is full');
  await expectNotReady();
  expect((await send(at, 'GET /v1/checks')).status).toBe(200);
  disk.free();
  const began = performance.now();
  await waitForPassedSession(at, checkId);
  expect(performance.now() - began).toBeLessThan(5000);
  await waitForReadyStatus(at, 200);
  disk.fill();
  await expectStartRejected();
  await expectEndInTime();
});

test('a removed file', async () => {
  rmSync(join(disk.folder, 'service.db'));
  expect(await waitForReadyStatus(at, 503)).toBeLessThan(2000);
  expect(await readReason()).toBe('the file of the database was removed or replaced');
  await expectEndInTime();
});

test('a folder that another service uses', async () => {
  const second = spawnService({ home, args: ['--data', disk.folder] });
  expect(await second.ended).toBe(2);
  expect(second.said()).toContain('is in use by another service');
  await waitForPassedSession(at, checkId);
  expect((await waitForReadyStatus(at, 200)) >= 0).toBe(true);
});

test('a folder that becomes read-only while the service runs, and a restart on it', async () => {
  disk.protect();
  await waitForPassedSession(at, checkId);
  await expectEndInTime();
  expect([at.child.exitCode, at.said()]).toEqual([0, expect.not.stringContaining('bug in sonde')]);
  const second = spawnService({ home, args: ['--data', disk.folder] });
  expect([await second.ended, second.said()]).toEqual([2, expect.stringMatching(/cannot (?:be )?writ/)]);
});

/** Programs that wait: when those are closed that nobody has wanted for long, and that no run pays for it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProgramPool } from '../../../src/runners/browser/program-pool.ts';
import { createRuntimes } from '../../../src/runners/browser/runtimes.ts';
import { openSandbox } from '../../../src/sandbox/index.ts';
import { createManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PROGRAM } from './support.ts';

const root = join(import.meta.dirname, '../../..');
const HALF_AN_HOUR = 30 * 60_000;

it('keeps what is in use, however long it takes, and closes what waits half an hour after the last run', async () => {
  const folder = await temporaryFolder();
  const { execPath, pid } = process;
  const sandbox = await openSandbox({
    ...{ level: 'process', folder: join(folder, 'cells'), readable: [root] },
    self: { pid, execPath, kill: (id, signal) => process.kill(id, signal) },
  });
  const clock = createManualClock();
  const programs = createProgramPool({
    ...{ sandbox, clock, program: PROGRAM, browser: null, maxInUse: 2, warm: 1, onError: () => {} },
    runtimes: createRuntimes({
      from: join(root, 'package.json'),
      folder: join(folder, 'runtimes'),
      env: process.env,
    }),
  });
  const take = () => programs.acquire(null, 'script', [], new AbortController().signal);

  const [first, second] = [await take(), await take()];
  await first.release();
  // Nobody waits for the end of a time that would end the second.
  expect(clock.sleeping).toBe(0);
  await second.release();
  await clock.advance(HALF_AN_HOUR - 1);
  const third = await take();
  expect(clock.sleeping).toBe(0);
  await expect(programs.acquire(null, 'script', [], AbortSignal.abort('too late'))).rejects.toBe('too late');
  expect(clock.sleeping).toBe(0);
  await clock.advance(HALF_AN_HOUR);
  expect(third.warm.warm.program.isAlive()).toBe(true);
  await third.release();

  await eventually(() => expect(programs.countReady()).toBe(1));
  await clock.advance(HALF_AN_HOUR);
  expect(programs.countReady()).toBe(0);
  await programs.close();
  await sandbox.close();
});

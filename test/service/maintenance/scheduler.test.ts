/** What subscribers are told of windows: once each, whatever happens to the window, the clock and the service meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import {
  createMaintenanceScheduler,
  type MaintenanceScheduler,
} from '../../../src/service/maintenance/scheduler.ts';
import { type MaintenanceWindowBody, openStore, type Store } from '../../../src/service/store/index.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
const HOUR = 3_600_000;
const hour = (hours: number) => new Date(START + hours * HOUR).toISOString();
const NOTIFYING = { enabled: true, notifyOnStart: true, notifyOnEnd: true };

let clock: ManualClock;
let folder: string;
let store: Store;
let keeper: MaintenanceScheduler;
let account: string;
/** `STARTED w 8`: what was told of which window, at which hour. */
let told: string[];
let fails: boolean;

async function open(): Promise<void> {
  store = await openStore({ path: join(folder, 'sonde.db') }, { clock, random: systemRandom });
  keeper = createMaintenanceScheduler({
    ...{ store, clock },
    async notify(tx, { body }, { kind }) {
      if (fails) throw new Error('the process was killed here');
      tx.onCommit(() => told.push(`${kind} ${body.name} ${(clock.now() - START) / HOUR}`));
    },
    onError() {},
    longestSleepMs: HOUR / 2,
  });
  keeper.start();
}
async function close(): Promise<void> {
  await clock.run(keeper.stop());
  await store.close();
}
async function restart(downHours = 0): Promise<void> {
  await close();
  await clock.advance(downHours * HOUR);
  await open();
  await clock.advance(0);
}

beforeEach(async () => {
  clock = createManualClock(START, 12);
  folder = await mkdtemp(join(tmpdir(), 'sonde-maintenance-'));
  told = [];
  fails = false;
  await open();
  account = (await store.accounts.create('test')).id;
});
afterEach(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

/** A window of the day from 8 to 9, of which all is told. */
function create(more: Partial<MaintenanceWindowBody> = {}, visibility: object = {}) {
  const body = { name: 'w', startsAt: hour(8), endsAt: hour(9), repeatUnit: null };
  return keeper.create(account, {
    ...body,
    ...more,
    statusPageVisibility: { ...NOTIFYING, ...visibility },
  });
}
const change = (id: number, more: Partial<MaintenanceWindowBody>) =>
  keeper.change(account, id, (before) => ({ ...before, ...more }));
const until = (hours: number) => clock.advance(START + hours * HOUR - clock.now());

describe('subscribers', () => {
  it('are told of the start, the end and before, once each and in time', async () => {
    await create({}, { reminderMinutesBefore: [60, 120, 60] });
    await until(48);
    expect(told).toEqual(['REMINDER w 6', 'REMINDER w 7', 'STARTED w 8', 'ENDED w 9']);
  });

  it('are told each time that it repeats', async () => {
    await create({ repeatUnit: 'DAY', repeatEndsAt: hour(60) }, { reminderMinutesBefore: [1440] });
    await until(100);
    expect(told).toEqual([
      ...['STARTED w 8', 'REMINDER w 8', 'ENDED w 9', 'STARTED w 32', 'REMINDER w 32', 'ENDED w 33'],
      ...['STARTED w 56', 'ENDED w 57'],
    ]);
  });

  it('are reminded of no start before which it is open anyway', async () => {
    await create(
      { endsAt: hour(38), repeatUnit: 'DAY', repeatEndsAt: hour(40) },
      { reminderMinutesBefore: [60] },
    );
    await until(70);
    expect(told).toEqual(['REMINDER w 7', 'STARTED w 8', 'ENDED w 62']);
  });

  it('are told only what the window says, and nothing where it is not shown', async () => {
    await create({ name: 'start' }, { notifyOnEnd: false });
    await create({ name: 'end' }, { notifyOnStart: false });
    await create({ name: 'hidden' }, { enabled: false, reminderMinutesBefore: [60] });
    await until(48);
    expect(told).toEqual(['STARTED start 8', 'ENDED end 9']);
  });

  it('are told nothing twice over restarts and crashes', async () => {
    await create({}, { reminderMinutesBefore: [60] });
    for (const hours of [7, 8, 9]) {
      fails = true;
      await until(hours);
      await clock.advance(5000);
      await restart();
      fails = false;
      await restart();
      await restart();
      await clock.advance(5000);
    }
    expect(told.map((each) => each.split('.')[0])).toEqual(['REMINDER w 7', 'STARTED w 8', 'ENDED w 9']);
  });

  it('are told late what is still true after the service was down, and what is no more is left out', async () => {
    await create({ name: 'during' }, { reminderMinutesBefore: [60] });
    await create(
      { name: 'before', startsAt: hour(12), endsAt: hour(13) },
      { reminderMinutesBefore: [240, 300] },
    );
    await create({ name: 'passed', startsAt: hour(3), endsAt: hour(4) }, { reminderMinutesBefore: [60] });
    await restart(8.5);
    expect(told).toEqual(['STARTED during 8.5', 'REMINDER before 8.5']);
    await restart(20);
    expect(told.slice(2)).toEqual(['ENDED during 28.5']);
  });

  it('are told nothing twice where the clock is set back', async () => {
    await create({}, { reminderMinutesBefore: [60] });
    await until(7.5);
    clock.step(-2 * HOUR);
    await clock.advance(2.2 * HOUR);
    expect(told).toEqual(['REMINDER w 7']);
  });

  it('are told of no time that was past when the window was made or changed', async () => {
    const { id } = await create({}, { reminderMinutesBefore: [10080, 120] });
    await until(5);
    await change(id, { startsAt: hour(6.5), endsAt: hour(7) });
    await until(48);
    expect(told).toEqual(['STARTED w 6.5', 'ENDED w 7']);
  });

  it('are reminded of the new start where a window is put off', async () => {
    const { id } = await create({}, { reminderMinutesBefore: [60] });
    await until(7.5);
    await change(id, { startsAt: hour(20), endsAt: hour(21) });
    await until(48);
    expect(told).toEqual(['REMINDER w 7', 'REMINDER w 19', 'STARTED w 20', 'ENDED w 21']);
  });
});

describe('a window that is open', () => {
  it('and whose words change is told of once', async () => {
    const { id } = await create({}, { reminderMinutesBefore: [60] });
    await until(7.2);
    await change(id, { description: 'other words' });
    await until(8.2);
    await change(id, { description: 'and others' });
    await change(id, { startsAt: hour(8.1) });
    await change(id, { endsAt: hour(9.5) });
    await until(48);
    expect(told).toEqual(['REMINDER w 7', 'STARTED w 8', 'ENDED w 9.5']);
  });

  it('ends at once where it is shortened, put off or deleted', async () => {
    const { id: short } = await create({ name: 'short' });
    const { id: off } = await create({ name: 'off' });
    const { id: gone } = await create({ name: 'gone' });
    await until(8.5);
    told.length = 0;
    await change(short, { endsAt: hour(8.25) });
    await change(off, { startsAt: hour(20), endsAt: hour(21) });
    expect(await keeper.remove(account, gone)).toBe(true);
    expect(await keeper.remove(account, gone)).toBe(false);
    expect(told).toEqual(['ENDED short 8.5', 'ENDED off 8.5', 'ENDED gone 8.5']);
    await until(48);
    expect(told.slice(3)).toEqual(['STARTED off 20', 'ENDED off 21']);
  });

  it('ends by hand once, and comes again with its next occurrence', async () => {
    const { id } = await create({ repeatUnit: 'DAY', repeatEndsAt: hour(40) });
    await until(8.5);
    await keeper.endWindow(account, id);
    await keeper.endWindow(account, id);
    await until(100);
    expect(told).toEqual(['STARTED w 8', 'ENDED w 8.5', 'STARTED w 32', 'ENDED w 33']);
  });
});

describe('a window that people start', () => {
  const BY_HAND = { autoStart: false, autoEnd: false };

  it('starts when they start it, and is shown until they end it', async () => {
    const { id } = await create({}, BY_HAND);
    await until(8.5);
    expect(told).toEqual([]);
    await keeper.startWindow(account, id);
    await keeper.startWindow(account, id);
    await restart();
    await until(30);
    expect(told).toEqual(['STARTED w 8.5']);
    await keeper.endWindow(account, id);
    await until(48);
    expect(told).toEqual(['STARTED w 8.5', 'ENDED w 30']);
  });

  it('and that nobody starts passes unseen', async () => {
    const { id } = await create({}, BY_HAND);
    await until(10);
    expect(await keeper.startWindow(account, id)).toEqual({ comesAt: undefined });
    expect(told).toEqual([]);
  });

  it('ends where its start is put off after it was started, and waits again', async () => {
    const { id } = await create({}, { autoStart: false });
    await until(8.5);
    await keeper.startWindow(account, id);
    await change(id, { startsAt: hour(20), endsAt: hour(21) });
    await until(48);
    expect(told).toEqual(['STARTED w 8.5', 'ENDED w 8.5']);
  });

  it('early is not started once more at its time, ended or not', async () => {
    const { id: ended } = await create({ name: 'ended' });
    const { id: open } = await create({ name: 'open' });
    await until(7);
    await keeper.startWindow(account, ended);
    await keeper.startWindow(account, open);
    await until(7.5);
    await keeper.endWindow(account, ended);
    await until(48);
    expect(told).toEqual(['STARTED ended 7', 'STARTED open 7', 'ENDED ended 7.5', 'ENDED open 9']);
  });

  it('early and ended before its planned start is not reminded of', async () => {
    const { id } = await create({}, { reminderMinutesBefore: [60] });
    await until(6);
    await keeper.startWindow(account, id);
    await until(6.5);
    await keeper.endWindow(account, id);
    await until(48);
    expect(told).toEqual(['STARTED w 6', 'ENDED w 6.5']);
  });
});

/** A window that was open and is no more as it was then, ended, changed or deleted by somebody: what ran in it alerts of nothing. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import { findPauses, isPaused, isSilenced } from '../../../src/service/maintenance/effects.ts';
import {
  createMaintenanceScheduler,
  type MaintenanceScheduler,
} from '../../../src/service/maintenance/scheduler.ts';
import { loadWindows } from '../../../src/service/maintenance/windows.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { createManualClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const minute = (minutes: number) => START + minutes * MINUTE;
const iso = (minutes: number) => new Date(minute(minutes)).toISOString();
const covered = { check: { name: 'a check', body: {} } };

/** A window that pauses all from the tenth to the sixtieth minute, at its twentieth. */
async function open() {
  const clock = createManualClock(START);
  const store = await openStore(
    { path: join(await temporaryFolder(), 'sonde.db') },
    { clock, random: systemRandom },
  );
  onTestFinished(() => store.close());
  const keeper = createMaintenanceScheduler({ ...{ store, clock }, async notify() {}, onError() {} });
  const { id: account } = await store.accounts.create('test');
  const body = { name: 'w', startsAt: iso(10), endsAt: iso(60), repeatUnit: null, pauseAllChecks: true };
  const { id } = await keeper.create(account, body);
  await clock.advance(20 * MINUTE);
  return { clock, store, keeper, account, id };
}

type Act = (keeper: MaintenanceScheduler, account: string, id: number) => Promise<unknown>;
it.each<[how: string, act: Act]>([
  ['ended', (keeper, account, id) => keeper.endWindow(account, id)],
  ['deleted', (keeper, account, id) => keeper.remove(account, id)],
  [
    'shortened',
    (keeper, account, id) => keeper.change(account, id, (body) => ({ ...body, endsAt: iso(15) })),
  ],
  [
    'put off',
    (keeper, account, id) =>
      keeper.change(account, id, (body) => ({ ...body, startsAt: iso(600), endsAt: iso(660) })),
  ],
  [
    'made to pause nothing',
    (keeper, account, id) => keeper.change(account, id, (body) => ({ ...body, pauseAllChecks: false })),
  ],
])('is remembered where it is %s, and does nothing from then on', async (_, act) => {
  const { clock, store, keeper, account, id } = await open();
  await act(keeper, account, id);
  await clock.advance(10 * MINUTE);
  const silenced = (from: number, to: number) =>
    isSilenced(store, account, covered, minute(to), minute(from));
  expect(await silenced(0, 9)).toBe(false);
  expect(await silenced(19, 21)).toBe(true);
  expect(await silenced(0, 30)).toBe(true);
  expect(await silenced(21, 30)).toBe(false);
  const windows = await loadWindows(store, account);
  expect(findPauses(windows, covered, minute(0), minute(30))).toEqual([{ from: minute(10), to: minute(20) }]);
  expect(isPaused(windows, covered, minute(21))).toBe(false);
});

it('is remembered as it was last where it is over before it is deleted', async () => {
  const { clock, store, keeper, account, id } = await open();
  await clock.advance(41 * MINUTE);
  await keeper.remove(account, id);
  expect(await isSilenced(store, account, covered, minute(61), minute(59))).toBe(true);
  expect(await isSilenced(store, account, covered, minute(61), minute(60))).toBe(false);
});

it('is forgotten after a week', async () => {
  const { clock, store, keeper, account, id } = await open();
  await keeper.endWindow(account, id);
  await clock.advance(8 * 24 * 60 * MINUTE);
  const body = { name: 'another', startsAt: iso(10), endsAt: iso(60), repeatUnit: null };
  const { id: other } = await keeper.create(account, body);
  await keeper.remove(account, other);
  expect(await store.maintenanceWindows.past(account)).toMatchObject([{ endsAt: minute(60) }]);
});

it('pauses no schedule of a clock that is set back into it', async () => {
  const { clock, store, keeper, account, id } = await open();
  await keeper.endWindow(account, id);
  clock.step(-5 * MINUTE);
  expect(isPaused(await loadWindows(store, account), covered, clock.now())).toBe(false);
});

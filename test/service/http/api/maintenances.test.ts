/** Repetitions of maintenance windows, over HTTP: moved and cancelled one by one; checks and pages follow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { isPaused } from '../../../../src/service/maintenance/effects.ts';
import { loadWindows } from '../../../../src/service/maintenance/windows.ts';
import { ask, call } from '../../../support/call.ts';
import { get, makePage, makeServices, startWorld, type World } from '../pages/world.ts';
import { violations } from './support.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const TARGET = { check: { name: 'any', body: {} } };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

type Body = contract.BodyOf<typeof contract.createMaintenanceWindow>;
type Change = contract.BodyOf<typeof contract.updateMaintenance>;

const iso = (ms: number) => new Date(world.now() + ms).toISOString();

/** A window of one hour in an account of its own, daily from an hour ahead unless told. */
async function makeWindow(more: Partial<Body> = {}) {
  const as = { ...world, ...(await world.newAccount()) };
  const body: Body = {
    ...{ name: 'Upgrade', startsAt: iso(HOUR_MS), endsAt: iso(2 * HOUR_MS) },
    ...{ repeatUnit: 'DAY', pauseAllChecks: true },
    ...more,
  };
  const { id } = await call(as, contract.createMaintenanceWindow, { body });
  const list = () =>
    call(as, contract.listMaintenances, { params: { id }, query: { limit: 5 } }).then((all) =>
      all.map(({ startsAt, endsAt, status }) => [startsAt, endsAt, status]),
    );
  const ids = (await call(as, contract.listMaintenances, { params: { id } })).map((each) => each.id);
  const params = (index: number) => ({ id, maintenanceId: ids[index] ?? '' });
  return {
    ...{ as, id, list, params, body },
    move: (index: number, change: Change) =>
      call(as, contract.updateMaintenance, { params: params(index), body: change }),
    refused: async (index: number, change: Change) => {
      const answer = await ask(as, contract.updateMaintenance, { params: params(index), body: change });
      return [answer.status, violations(answer.body).map(({ path, message }) => `${path} ${message}`)];
    },
    cancel: (index: number) => call(as, contract.deleteMaintenance, { params: params(index) }),
    read: () => call(as, contract.getMaintenanceWindow, { params: { id } }),
    async pausesAt(ms: number) {
      return isPaused(await loadWindows(world.store, as.accountId), TARGET, Date.parse(iso(ms)));
    },
  };
}

describe('a repetition', () => {
  it('is moved between the ones before and after it, and keeps its ID', async () => {
    const window = await makeWindow();
    const [first, second, third] = await window.list();
    const times = { startsAt: iso(26 * HOUR_MS), endsAt: iso(30 * HOUR_MS) };
    const moved = await window.move(1, times);
    expect(moved).toMatchObject({ id: window.params(1).maintenanceId, ...times });
    expect(await window.list()).toMatchObject([
      first,
      [times.startsAt, times.endsAt, 'SCHEDULED'],
      third,
      ...[{}, {}],
    ]);
    expect((await window.read()).exceptions).toEqual([{ startsAt: second?.[0], movedTo: times }]);
    expect(await call(window.as, contract.getMaintenance, { params: window.params(1) })).toEqual(moved);
    expect(await window.pausesAt(25.5 * HOUR_MS)).toBe(false);
    expect(await window.pausesAt(29 * HOUR_MS)).toBe(true);
    const shorter = await window.move(1, { endsAt: iso(27 * HOUR_MS) });
    expect(shorter.startsAt).toBe(times.startsAt);
    expect(await window.pausesAt(29 * HOUR_MS)).toBe(false);
    expect((await window.read()).exceptions).toHaveLength(1);
  });

  it('is not moved over the others, into the past, or to no time', async () => {
    const { refused, move } = await makeWindow();
    const previous = 'startsAt must not be before the end of the previous maintenance of the window';
    const next = 'endsAt must not be after the start of the next maintenance of the window';
    expect(await refused(1, { startsAt: iso(HOUR_MS) })).toEqual([400, [previous]]);
    expect(await refused(1, { endsAt: iso(50 * HOUR_MS) })).toEqual([400, [next]]);
    expect(await refused(0, { startsAt: iso(-HOUR_MS) })).toEqual([400, ['startsAt must be in the future']]);
    expect(await refused(0, { endsAt: iso(HOUR_MS / 2) })).toEqual([
      ...[400, ['endsAt must be later than startsAt']],
    ]);
    expect(await refused(0, { startsAt: '2026-02-30T10:00:00Z' })).toMatchObject([400, { length: 1 }]);
    await move(1, { startsAt: iso(20 * HOUR_MS), endsAt: iso(24 * HOUR_MS) });
    expect(await refused(0, { endsAt: iso(21 * HOUR_MS) })).toEqual([400, [next]]);
    // The place that the second one left is still its own.
    expect(await refused(2, { startsAt: iso(24.5 * HOUR_MS) })).toEqual([400, [previous]]);
  });

  it('is cancelled, as another account cannot do', async () => {
    const window = await makeWindow();
    const all = await window.list();
    const other = { ...world, ...(await world.newAccount()) };
    const params = window.params(0);
    const body = { endsAt: iso(3 * HOUR_MS) };
    expect((await ask(other, contract.updateMaintenance, { params, body })).status).toBe(404);
    expect((await ask(other, contract.deleteMaintenance, { params })).status).toBe(404);
    await window.cancel(0);
    expect((await window.list()).slice(0, 4)).toEqual(all.slice(1));
    expect(await window.pausesAt(1.5 * HOUR_MS)).toBe(false);
    expect(await window.pausesAt(25.5 * HOUR_MS)).toBe(true);
    expect((await ask(window.as, contract.getMaintenance, { params: window.params(0) })).status).toBe(404);
    expect((await ask(window.as, contract.deleteMaintenance, { params: window.params(0) })).status).toBe(404);
  });

  it('in progress ends when it is cancelled, can be made longer, and does not change after its end', async () => {
    const times = { startsAt: iso(-HOUR_MS), endsAt: iso(HOUR_MS) };
    const longer = await makeWindow(times);
    const end = iso(3 * HOUR_MS);
    expect(await longer.refused(0, { startsAt: iso(HOUR_MS / 2) })).toEqual([
      ...[400, ['startsAt must not change, because the maintenance has started']],
    ]);
    expect(await longer.move(0, { endsAt: end })).toMatchObject({ endsAt: end, status: 'IN_PROGRESS' });
    expect(await longer.pausesAt(2 * HOUR_MS)).toBe(true);
    await call(longer.as, contract.endMaintenanceWindow, { params: { id: longer.id } });
    expect(await longer.list()).toMatchObject([[times.startsAt, end, 'COMPLETED'], {}, {}, {}, {}]);
    for (const [endpoint, body] of [
      [contract.updateMaintenance, { endsAt: end }],
      [contract.deleteMaintenance],
    ])
      expect(
        (await ask(longer.as, endpoint as never, { params: longer.params(0), body } as never)).status,
      ).toBe(409);

    const cancelled = await makeWindow(times);
    expect((await cancelled.read()).openSince).not.toBeNull();
    await cancelled.cancel(0);
    expect((await cancelled.read()).openSince).toBeNull();
    expect(await cancelled.pausesAt(0)).toBe(false);
    // Runs that began in it still send no alert.
    const windows = await loadWindows(world.store, cancelled.as.accountId);
    const before = Date.parse(times.startsAt) + HOUR_MS / 2;
    expect(windows.at(before).historicalCoverage.silences(TARGET)).toBe(true);
  });

  it('that was started early waits again after it was moved or cancelled', async () => {
    for (const act of ['move', 'cancel'] as const) {
      const window = await makeWindow();
      await call(window.as, contract.startMaintenanceWindow, { params: { id: window.id } });
      expect((await window.read()).openSince).not.toBeNull();
      if (act === 'cancel') await window.cancel(0);
      else await window.move(0, { startsAt: iso(3 * HOUR_MS), endsAt: iso(4 * HOUR_MS) });
      expect((await window.read()).openSince).toBeNull();
      expect(await window.pausesAt(3.5 * HOUR_MS)).toBe(act === 'move');
    }
  });

  it('is as its window says again after the times of the window change, and stays otherwise', async () => {
    const window = await makeWindow();
    await window.cancel(0);
    const update = (body: Partial<Body>) =>
      call(window.as, contract.updateMaintenanceWindow, { params: { id: window.id }, body });
    expect((await update({ name: 'Another name' })).exceptions).toHaveLength(1);
    expect((await update({ ...(await window.read()), repeatUnit: 'DAY' } as never)).exceptions).toHaveLength(
      1,
    );
    expect((await update({ endsAt: iso(3 * HOUR_MS) })).exceptions).toEqual([]);
    expect(await window.pausesAt(1.5 * HOUR_MS)).toBe(true);
  });

  it('of a window that does not repeat is moved anywhere, or never happens', async () => {
    const window = await makeWindow({ repeatUnit: null });
    const times = { startsAt: iso(90 * DAY_MS), endsAt: iso(91 * DAY_MS) };
    expect(await window.move(0, times)).toMatchObject(times);
    expect(await window.list()).toEqual([[times.startsAt, times.endsAt, 'SCHEDULED']]);
    expect(await window.pausesAt(90.5 * DAY_MS)).toBe(true);
    await window.cancel(0);
    expect(await window.list()).toEqual([]);
    expect(await window.pausesAt(90.5 * DAY_MS)).toBe(false);
  });

  it('is limited to a hundred exceptions of a window', async () => {
    const window = await makeWindow();
    const params = (maintenanceId: string) => ({ id: window.id, maintenanceId });
    const query = { limit: 100, page: 1 };
    const all = await call(window.as, contract.listMaintenances, { params: { id: window.id }, query });
    const after = await call(window.as, contract.listMaintenances, {
      params: { id: window.id },
      query: { limit: 1, page: 101 },
    });
    for (const { id } of all) await call(window.as, contract.deleteMaintenance, { params: params(id) });
    const refused = await ask(window.as, contract.deleteMaintenance, { params: params(after[0]?.id ?? '') });
    expect([refused.status, (refused.body as { message: string }).message]).toEqual([
      409,
      expect.stringContaining('which is the limit'),
    ]);
    expect(await window.list()).toHaveLength(5);
  });
});

describe('a status page', () => {
  it('shows a repetition at its new times, and no cancelled one', async () => {
    const [service = ''] = await makeServices(world, ['Shop']);
    await makePage(world, 'moved', [service]);
    const body: Body = {
      ...{ name: 'New disk', startsAt: iso(HOUR_MS), endsAt: iso(2 * HOUR_MS), repeatUnit: null },
      statusPageVisibility: { enabled: true, serviceIds: [service] },
    };
    const { id } = await call(world, contract.createMaintenanceWindow, { body });
    const [only] = await call(world, contract.listMaintenances, { params: { id } });
    const params = { id, maintenanceId: only?.id ?? '' };
    const page = async () => (await get(world, '/status/moved')).text();
    expect(await page()).toContain('Scheduled maintenance');
    const startsAt = iso(5 * HOUR_MS);
    const endsAt = iso(6 * HOUR_MS);
    await call(world, contract.updateMaintenance, { params, body: { startsAt, endsAt } });
    expect(await page()).toContain(`datetime="${startsAt}"`);
    await call(world, contract.deleteMaintenance, { params });
    expect(await page()).not.toContain('New disk');
  });
});

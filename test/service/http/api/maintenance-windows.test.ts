/** Maintenance windows: when they hold, how they are found, and which are refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrences, take } from '../../../../src/calendar/occurrences.ts';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { violations } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const fresh = async () => ({ ...service, ...(await service.newAccount()) });

describe('maintenance windows', () => {
  const window = { name: 'w', startsAt: '2026-11-21', endsAt: '2026-11-22', repeatUnit: null };

  it('include the days of their own time zone where only dates are given', async () => {
    const made = await call(service, contract.createMaintenanceWindow, {
      body: { ...window, startsAt: '2026-03-29', endsAt: '2026-03-30', timezone: 'Europe/Berlin' },
    });
    expect(made).toMatchObject({ startsAt: '2026-03-28T23:00:00.000Z', endsAt: '2026-03-30T22:00:00.000Z' });
    const params = { id: made.id };
    const changed = await call(service, contract.updateMaintenanceWindow, {
      params,
      body: { endsAt: '2026-03-31T00:00:00+02:00', silenceAllAlerts: true },
    });
    expect(changed).toMatchObject({
      startsAt: made.startsAt,
      endsAt: '2026-03-30T22:00:00.000Z',
      silenceAllAlerts: true,
    });
    expect(await call(service, contract.getMaintenanceWindow, { params })).toEqual(changed);
    await call(service, contract.deleteMaintenanceWindow, { params });
    expect((await ask(service, contract.getMaintenanceWindow, { params })).status).toBe(404);
  });

  it('are listed by their repetitions, each with its own ID', async () => {
    const now = Date.now();
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString();
    const body = {
      ...window,
      startsAt: at(-3),
      endsAt: at(-2),
      repeatUnit: 'DAY',
      repeatInterval: 2,
    } as const;
    const { id } = await call(service, contract.createMaintenanceWindow, { body });
    const list = (page: number) =>
      call(service, contract.listMaintenances, { params: { id }, query: { page, limit: 3 } });
    const [first, second] = [await list(1), await list(2)];
    expect(first.map(({ startsAt, status }) => [startsAt, status])).toEqual([
      [at(-3), 'COMPLETED'],
      [at(-1), 'COMPLETED'],
      [at(1), 'SCHEDULED'],
    ]);
    expect(second[0]?.startsAt).toBe(at(3));
    const all = [...first, ...second];
    expect(new Set(all.map((each) => each.id)).size).toBe(6);
    for (const each of all) {
      const params = { id, maintenanceId: each.id };
      expect(await call(service, contract.getMaintenance, { params })).toEqual(each);
    }
    const params = { id, maintenanceId: '00000000-0000-8000-8000-000000000000' };
    expect((await ask(service, contract.getMaintenance, { params })).status).toBe(404);
    await call(service, contract.deleteMaintenanceWindow, { params: { id } });
    expect((await ask(service, contract.listMaintenances, { params: { id } })).status).toBe(404);
  });

  it('last one whole day, of 23 hours too, where both dates are the same', async () => {
    const body = { ...window, startsAt: '2026-03-29', endsAt: '2026-03-29', timezone: 'Europe/Berlin' };
    const made = await call(service, contract.createMaintenanceWindow, { body });
    expect(made).toMatchObject({ startsAt: '2026-03-28T23:00:00.000Z', endsAt: '2026-03-29T22:00:00.000Z' });
    const params = { id: made.id };
    const changed = await call(service, contract.updateMaintenanceWindow, {
      params,
      body: { endsAt: '2026-03-30' },
    });
    expect(changed.endsAt).toBe('2026-03-30T22:00:00.000Z');
    await call(service, contract.deleteMaintenanceWindow, { params });
  });

  it.each([
    ['2031-03-30', '2031-03-30T21:59:59.999Z', 3],
    ['2031-03-28', '2031-03-28T22:59:59.999Z', 1],
    ['2031-03-30T22:00:00+02:00', '2031-03-30T20:00:00.000Z', 3],
    ['2031-03-30T21:59:59+02:00', '2031-03-30T19:59:59.000Z', 2],
  ])('repeat until %s: that day is included', async (repeatEndsAt, stored, times) => {
    const body = {
      ...{ name: 'until', startsAt: '2031-03-28T22:00:00+01:00', endsAt: '2031-03-28T23:00:00+01:00' },
      ...{ repeatInterval: 1, repeatEndsAt, timezone: 'Europe/Berlin' },
      repeatUnit: 'DAY' as const,
    };
    const made = await call(await fresh(), contract.createMaintenanceWindow, { body });
    expect(made.repeatEndsAt).toBe(stored);
    expect(take(occurrences(made, 0), 9)).toHaveLength(times);
  });

  it.each([
    [
      { repeatUnit: 'DAY' },
      '2026-11-22T06:00:00Z',
      'at most 1 day after startsAt, because the window repeats every day',
    ],
    [{ repeatUnit: 'DAY', repeatInterval: 2 }, '2026-11-23T00:00:01Z', 'at most 2 days after'],
    [{ repeatUnit: 'WEEK' }, '2026-11-28T00:00:01Z', 'at most 7 days after'],
    [{ repeatUnit: 'MONTH' }, '2026-12-19T00:00:01Z', 'at most 28 days after'],
    [{ repeatUnit: 'MONTH', repeatInterval: 2 }, '2027-01-19T00:00:01Z', 'at most 59 days after'],
  ] as const)('are refused if repetitions overlap: %j until %s', async (repetition, endsAt, message) => {
    const as = await fresh();
    const body = { ...window, ...repetition, startsAt: '2026-11-21T00:00:00Z', endsAt };
    const refused = await ask(as, contract.createMaintenanceWindow, { body });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(message)]);
    const longest = new Date(Date.parse(endsAt) - (endsAt.endsWith('01Z') ? 1000 : 6 * 3_600_000));
    const fits = { ...body, endsAt: longest.toISOString() };
    await call(as, contract.createMaintenanceWindow, { body: fits });
    const wholeDays = { ...body, startsAt: '2026-11-21', endsAt: '2027-03-01' };
    expect((await ask(as, contract.createMaintenanceWindow, { body: wholeDays })).status).toBe(400);
  });

  it('of a whole day are found by filters that include the day', async () => {
    const as = await fresh();
    await call(as, contract.createMaintenanceWindow, {
      body: { ...window, startsAt: '2026-11-21T10:00:00Z', endsAt: '2026-11-21T11:00:00Z' },
    });
    for (const [startsAt, count] of [
      [{ lte: '2026-11-21' }, 1],
      [{ gte: '2026-11-21' }, 1],
      [{ gt: '2026-11-21' }, 0],
      [{ lt: '2026-11-21' }, 0],
    ] as const)
      expect(await call(as, contract.listMaintenanceWindows, { query: { startsAt } })).toHaveLength(count);
  });

  it('are filtered by when they start and end', async () => {
    const as = await fresh();
    for (const day of ['01', '02', '03']) {
      const [startsAt, endsAt] = [`2026-12-${day}T08:00:00Z`, `2026-12-${day}T09:00:00Z`];
      await call(as, contract.createMaintenanceWindow, { body: { ...window, name: day, startsAt, endsAt } });
    }
    const names = async (query: object) =>
      ((await ask(as, contract.listMaintenanceWindows, { query })).body as { name: string }[]).map(
        (one) => one.name,
      );
    expect(await names({})).toEqual(['03', '02', '01']);
    expect(await names({ startsAt: { gte: '2026-12-02T08:00:00Z' } })).toEqual(['03', '02']);
    expect(await names({ startsAt: { gt: '2026-12-02T08:00:00Z' } })).toEqual(['03']);
    expect(await names({ startsAt: { gte: '2026-12-02' }, endsAt: { lt: '2026-12-03' } })).toEqual(['02']);
    expect(await names({ limit: 1, page: 2 })).toEqual(['02']);
    const page = await ask(as, contract.listMaintenanceWindows, { query: { limit: 2, page: 2 } });
    expect(page.headers.get('content-range')).toBe('2-2/3');
    const late = { startsAt: { gte: '2026-12-02' }, limit: 1 };
    const filtered = await ask(as, contract.listMaintenanceWindows, { query: late });
    expect(filtered.headers.get('content-range')).toBe('0-0/2');
    const two = await ask(as, contract.listMaintenanceWindows, {
      query: { startsAt: { gt: '2026-12-01', lt: '2026-12-02' } },
    });
    expect(two.status).toBe(400);
    const none = await ask(as, contract.listMaintenanceWindows, { query: { startsAt: '2026-12-01' } });
    expect(violations(none.body)).toMatchObject([
      { path: 'startsAt', message: 'must be an object, such as startsAt[gte]=2026-11-21' },
    ]);
  });

  it('are refused with all that does not hold, of what is given and of the whole', async () => {
    const made = await call(service, contract.createMaintenanceWindow, { body: window });
    const params = { id: made.id };
    const paths = async (body: object) =>
      violations((await ask(service, contract.updateMaintenanceWindow, { params, body })).body).map(
        ({ path }) => path,
      );
    expect(await paths({ endsAt: '2026-11-20' })).toEqual(['endsAt']);
    expect(await paths({ repeatEndsAt: '2026-11-20' })).toEqual(['repeatEndsAt']);
    expect(await paths({ startsAt: '2026-11-20T23:59:60Z' })).toEqual(['startsAt']);
    const visibility = {
      ...{ statusPageIds: ['none'], serviceIds: ['none'], affectAllServices: true },
      reminderMinutesBefore: [0, 1, 10081, 61],
    };
    const wrong = { timezone: 'Europe/Atlantis', repeatInterval: 1.5, statusPageVisibility: visibility };
    expect((await paths(wrong)).sort()).toEqual([
      'repeatInterval',
      'statusPageVisibility.reminderMinutesBefore',
      'statusPageVisibility.reminderMinutesBefore[0]',
      'statusPageVisibility.reminderMinutesBefore[2]',
      'statusPageVisibility.serviceIds',
      'timezone',
    ]);
    const references = { statusPageIds: ['none'], serviceIds: ['none', 'nothing'] };
    expect(
      await paths({
        startsAt: '2026-11-20T23:59:60Z',
        statusPageVisibility: references,
      }),
    ).toEqual([
      'startsAt',
      'statusPageVisibility.statusPageIds[0]',
      'statusPageVisibility.serviceIds[0]',
      'statusPageVisibility.serviceIds[1]',
    ]);
  });

  it('compare a bare date with a timestamp by the clock of their zone', async () => {
    const body = { ...window, timezone: 'Europe/Berlin', startsAt: '2026-11-21' };
    const made = await call(service, contract.createMaintenanceWindow, {
      body: { ...body, endsAt: '2026-11-20T23:30:00Z' },
    });
    expect(made.startsAt).toBe('2026-11-20T23:00:00.000Z');
    const early = await ask(service, contract.createMaintenanceWindow, {
      body: { ...body, endsAt: '2026-11-20T23:00:00Z' },
    });
    expect(violations(early.body)).toMatchObject([{ path: 'endsAt' }]);
  });

  it('keep of their visibility what a change does not name', async () => {
    const made = await call(service, contract.createMaintenanceWindow, {
      body: { ...window, statusPageVisibility: { enabled: true, notifyOnStart: true } },
    });
    const changed = await call(service, contract.updateMaintenanceWindow, {
      params: { id: made.id },
      body: { statusPageVisibility: { notifyOnEnd: true } },
    });
    expect(changed.statusPageVisibility).toMatchObject({
      ...{ enabled: true, notifyOnStart: true, notifyOnEnd: true, autoStart: true, autoEnd: true },
    });
  });

  it('are started and ended by people, and say when they cannot be', async () => {
    const hours = (from: number) => new Date(Date.now() + from * 3_600_000).toISOString();
    const body = { ...window, startsAt: hours(2), endsAt: hours(3) };
    const { id } = await call(service, contract.createMaintenanceWindow, { body });
    const params = { id };
    const refused = await ask(service, contract.endMaintenanceWindow, { params });
    expect(refused).toMatchObject({
      status: 409,
      body: { message: `Maintenance window ${id} is not in progress: its next start is ${body.startsAt}` },
    });
    const started = await call(service, contract.startMaintenanceWindow, { params });
    expect(Date.parse(String(started.openSince))).toBeGreaterThan(Date.now() - 60_000);
    expect(await call(service, contract.startMaintenanceWindow, { params })).toEqual(started);
    expect(await call(service, contract.getMaintenanceWindow, { params })).toEqual(started);
    expect((await call(service, contract.endMaintenanceWindow, { params })).openSince).toBeNull();
    expect((await call(service, contract.endMaintenanceWindow, { params })).openSince).toBeNull();
    await call(service, contract.updateMaintenanceWindow, {
      params,
      body: { startsAt: hours(48), endsAt: hours(49) },
    });
    const early = await ask(service, contract.startMaintenanceWindow, { params });
    expect(early.status).toBe(409);
    const past = { startsAt: hours(-3), endsAt: hours(-2) };
    await call(service, contract.updateMaintenanceWindow, { params, body: past });
    expect((await ask(service, contract.startMaintenanceWindow, { params })).body).toMatchObject({
      message: `Maintenance window ${id} has ended and does not repeat: change its times first`,
    });
    const nobodys = await ask(service, contract.startMaintenanceWindow, { params: { id: 999_999 } });
    expect(nobodys.status).toBe(404);
    const other = await fresh();
    expect((await ask(other, contract.endMaintenanceWindow, { params })).status).toBe(404);
  });
});

/** Maintenance windows: when they hold, how they are found, and which are refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { ask, call } from '../../support/call.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { violations } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const fresh = async () => ({ ...service, ...(await service.newAccount()) });

describe('maintenance windows', () => {
  const window = { name: 'w', startsAt: '2026-11-21', endsAt: '2026-11-22', repeatUnit: null };

  it('start at midnight of their own time zone where only a date is given', async () => {
    const made = await call(service, contract.createMaintenanceWindow, {
      body: { ...window, startsAt: '2026-03-29', endsAt: '2026-03-30', timezone: 'Europe/Berlin' },
    });
    expect(made).toMatchObject({ startsAt: '2026-03-28T23:00:00.000Z', endsAt: '2026-03-29T22:00:00.000Z' });
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
    const two = await ask(as, contract.listMaintenanceWindows, {
      query: { startsAt: { gt: '2026-12-01', lt: '2026-12-02' } },
    });
    expect(two.status).toBe(400);
    const none = await ask(as, contract.listMaintenanceWindows, { query: { startsAt: '2026-12-01' } });
    expect(violations(none.body)).toMatchObject([{ path: 'startsAt', message: 'must be an object' }]);
  });

  it('are refused where the whole does not hold', async () => {
    const made = await call(service, contract.createMaintenanceWindow, { body: window });
    const params = { id: made.id };
    const paths = async (body: object) =>
      violations((await ask(service, contract.updateMaintenanceWindow, { params, body })).body).map(
        ({ path }) => path,
      );
    expect(await paths({ endsAt: '2026-11-20' })).toEqual(['endsAt']);
    expect(await paths({ timezone: 'Europe/Atlantis' })).toEqual(['timezone']);
    expect(await paths({ statusPageVisibility: { statusPageIds: ['none'] } })).toEqual([
      'statusPageVisibility.statusPageIds[0]',
    ]);
    expect(await paths({ startsAt: '2026-11-20T23:59:60Z' })).toEqual(['startsAt']);
  });
});

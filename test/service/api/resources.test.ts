import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { ask, call } from '../../support/call.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const dns = { name: 'example.com resolves', request: { query: 'example.com' }, heartbeat: {}, script: '' };
const violations = (body: unknown) =>
  (body as { attributes: { violations: { path: string; message: string }[] } }).attributes.violations;
const fresh = async () => ({ ...service, ...(await service.newAccount()) });

describe('check groups', () => {
  it('are replaced: what is left out takes its default, but for the name', async () => {
    const made = await call(service, contract.createCheckGroup, {
      body: {
        name: 'shop',
        muted: true,
        concurrency: 7,
        tags: ['a'],
        runParallel: true,
        apiCheckDefaults: { url: 'https://a.example', basicAuth: { username: 'u', password: 'hidden' } },
        environmentVariables: [{ key: 'T', value: 'hidden', secret: true }],
      },
    });
    expect(made).toMatchObject({ name: 'shop', muted: true, doubleCheck: false, retryStrategy: 'FALLBACK' });
    expect(JSON.stringify(made)).not.toContain('hidden');
    const params = { id: Number(made.id) };
    const changed = await call(service, contract.updateCheckGroup, { params, body: { tags: ['b'] } });
    expect(changed).toMatchObject({
      name: 'shop',
      tags: ['b'],
      muted: false,
      activated: true,
      concurrency: 3,
      runParallel: false,
      doubleCheck: true,
      useGlobalAlertSettings: true,
      apiCheckDefaults: {},
      environmentVariables: null,
      updated_at: expect.any(String),
    });
    const newer = await call(service, contract.updateCheckGroupV2, {
      params,
      body: { name: 'b', alertSettings: null },
    });
    expect(newer).toMatchObject({ name: 'b', doubleCheck: false, retryStrategy: 'FALLBACK' });
    expect(await call(service, contract.getCheckGroup, { params })).toEqual(newer);
    expect(await call(service, contract.listCheckGroups, {})).toContainEqual(newer);
  });

  it('keep a password that is left out beside its user name', async () => {
    const basicAuth = { username: 'u', password: 'hidden' };
    const { id } = await call(service, contract.createCheckGroup, {
      body: { name: 'g', apiCheckDefaults: { basicAuth } },
    });
    await call(service, contract.updateCheckGroup, {
      params: { id: Number(id) },
      body: { apiCheckDefaults: { basicAuth: { username: 'u' } } },
    });
    const stored = await service.store.groups.get(service.accountId, Number(id));
    expect(stored?.body.apiCheckDefaults).toEqual({ basicAuth });
  });

  it('cannot be deleted while they hold checks', async () => {
    const { id } = await call(service, contract.createCheckGroup, { body: { name: 'full' } });
    const params = { id: Number(id) };
    const check = await call(service, contract.createDnsCheck, { body: { ...dns, groupId: Number(id) } });
    expect(await ask(service, contract.deleteCheckGroup, { params })).toMatchObject({
      status: 409,
      body: { statusCode: 409, error: 'Conflict', message: expect.stringContaining('still holds checks') },
    });
    await call(service, contract.deleteCheck, { params: { id: String(check.id) } });
    await call(service, contract.deleteCheckGroup, { params });
    expect((await ask(service, contract.deleteCheckGroup, { params })).status).toBe(404);
  });

  it('are unknown under numbers that no store counts to', async () => {
    for (const id of [0, -1, 4711, 1e300, '99999999999999999999']) {
      expect((await ask(service, contract.getCheckGroup, { params: { id } })).status).toBe(404);
      expect((await ask(service, contract.deleteCheckGroup, { params: { id } })).status).toBe(404);
      expect((await ask(service, contract.deleteGroupTrigger, { params: { groupId: id } })).status).toBe(404);
    }
    expect((await ask(service, contract.getCheckGroup, { params: { id: 1.5 } })).status).toBe(400);
  });
});

describe('status pages', () => {
  const page = { name: 'Shop', cards: [] };

  it('keep the ids of cards that are sent back, and forget those that are not', async () => {
    const shop = await call(service, contract.createService, { body: { name: 'shop' } });
    const pay = await call(service, contract.createService, { body: { name: 'pay' } });
    const made = await call(service, contract.createStatusPage, {
      body: {
        ...page,
        url: 'shop',
        cards: [{ name: 'one', services: [{ id: String(shop.id) }] }, { name: 'two' }],
      },
    });
    expect(made).toMatchObject({ url: 'shop', defaultTheme: 'AUTO', isPrivate: false });
    expect(made.cards).toMatchObject([
      { name: 'one', services: [shop] },
      { name: 'two', services: [] },
    ]);
    const [one] = made.cards ?? [];
    const params = { statusPageId: made.id };
    const changed = await call(service, contract.updateStatusPage, {
      params,
      body: {
        name: 'Shop 2',
        url: 'shop',
        cards: [
          { name: 'new', id: 'made up', services: [{ id: String(pay.id) }] },
          { name: 'uno', id: String(one?.id), statusPageId: made.id },
        ],
      },
    });
    expect(changed.cards).toMatchObject([
      { name: 'new', services: [pay] },
      { ...one, name: 'uno', services: [], updated_at: expect.any(String) },
    ]);
    expect(changed.cards?.[0]?.id).not.toBe('made up');
    expect(await call(service, contract.getStatusPage, { params })).toEqual(changed);
    await call(service, contract.deleteService, { params: { id: String(pay.id) } });
    const [first] = (await call(service, contract.getStatusPage, { params })).cards ?? [];
    expect(first?.services).toEqual([]);
  });

  it('name only services that are there, and each card once', async () => {
    const made = await call(service, contract.createStatusPage, {
      body: { ...page, url: 'cards', cards: [{}] },
    });
    const id = String(made.cards?.[0]?.id);
    const { status, body } = await ask(service, contract.updateStatusPage, {
      params: { statusPageId: made.id },
      body: {
        ...page,
        url: 'cards',
        cards: [{ id, services: [{ id: 'none' }] }, { id }, { statusPageId: 'another' }],
      },
    });
    expect(status).toBe(400);
    expect(violations(body).map(({ path }) => path)).toEqual([
      'cards[1].id',
      'cards[2].statusPageId',
      'cards[0].services[0].id',
    ]);
  });

  it('have a url of their own, across accounts', async () => {
    await call(service, contract.createStatusPage, { body: { ...page, url: 'taken' } });
    const other = await fresh();
    const body = { ...page, url: 'taken' };
    expect((await ask(other, contract.createStatusPage, { body })).status).toBe(409);
    const mine = await call(other, contract.createStatusPage, { body: { ...page, url: 'free' } });
    const params = { statusPageId: mine.id };
    expect(await ask(other, contract.updateStatusPage, { params, body })).toMatchObject({
      status: 409,
      body: { message: 'Another status page is served at taken' },
    });
  });

  it('are listed by cursor', async () => {
    const as = await fresh();
    for (const url of ['p1', 'p2', 'p3'])
      await call(as, contract.createStatusPage, { body: { ...page, url } });
    const first = await call(as, contract.listStatusPages, { query: { limit: 2 } });
    expect(first).toMatchObject({ length: 2, entries: [{ url: 'p3' }, { url: 'p2' }] });
    const last = await call(as, contract.listStatusPages, {
      query: { limit: 2, nextId: String(first.nextId) },
    });
    expect(last).toMatchObject({ length: 1, entries: [{ url: 'p1' }], nextId: null });
    const { status, body } = await ask(as, contract.listStatusPages, { query: { nextId: 'made up' } });
    expect(status).toBe(400);
    expect(violations(body)).toMatchObject([{ in: 'query', path: 'nextId' }]);
    await call(as, contract.deleteStatusPage, { params: { statusPageId: String(first.entries[0]?.id) } });
    expect((await call(as, contract.listStatusPages, {})).length).toBe(2);
  });
});

describe('incidents', () => {
  it('tell what was said of them, the newest first', async () => {
    const shop = await call(service, contract.createService, { body: { name: 'shop' } });
    await call(service, contract.updateService, { params: { id: String(shop.id) }, body: { name: 'Shop' } });
    const made = await call(service, contract.createIncident, {
      body: {
        name: 'Slow',
        severity: 'MINOR',
        services: [{ id: String(shop.id) }],
        incidentUpdates: [{ description: 'We look', status: 'INVESTIGATING' }],
      },
    });
    expect(made).toMatchObject({ lastUpdateStatus: 'INVESTIGATING', services: [{ name: 'Shop' }] });
    const params = { id: made.id };
    const changed = await call(service, contract.updateIncident, {
      params,
      body: { severity: 'MAJOR', incidentUpdates: [{ description: 'Done', status: 'RESOLVED' }] },
    });
    expect(changed).toMatchObject({ name: 'Slow', severity: 'MAJOR', lastUpdateStatus: 'RESOLVED' });
    expect(changed.incidentUpdates.map(({ description }) => description)).toEqual(['Done', 'We look']);
    expect(await call(service, contract.getIncident, { params })).toEqual(changed);
    expect((await call(service, contract.listIncidents, {})).entries).toContainEqual(changed);
    const unknown = await ask(service, contract.updateIncident, {
      params,
      body: { services: [{ id: 'none' }] },
    });
    expect(violations(unknown.body)).toMatchObject([{ path: 'services[0].id' }]);
    await call(service, contract.deleteIncident, { params });
    expect((await ask(service, contract.getIncident, { params })).status).toBe(404);
  });
});

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

describe('variables', () => {
  it('are addressed by key, and a secret value is never shown', async () => {
    const as = await fresh();
    await call(as, contract.createVariable, { body: { key: 'OPEN', value: 'shown' } });
    await call(as, contract.createVariable, { body: { key: 'LOCKED', value: 'half', locked: true } });
    const secret = await call(as, contract.createVariable, {
      body: { key: 'SECRET', value: 'hidden', secret: true },
    });
    expect(secret).not.toHaveProperty('value');
    const listed = await call(as, contract.listVariables, {});
    expect(listed.map(({ key, value }) => [key, value])).toEqual([
      ['SECRET', undefined],
      ['LOCKED', undefined],
      ['OPEN', 'shown'],
    ]);
    expect(await call(as, contract.getVariable, { params: { key: 'LOCKED' } })).toMatchObject({
      value: 'half',
    });
    expect(await call(as, contract.getVariable, { params: { key: 'SECRET' } })).not.toHaveProperty('value');
    expect((await ask(as, contract.createVariable, { body: { key: 'OPEN', value: '' } })).status).toBe(409);
    const renamed = { params: { key: 'OPEN' }, body: { key: 'LOCKED', value: 'x' } };
    expect((await ask(as, contract.updateVariable, renamed)).status).toBe(409);
    const changed = await call(as, contract.updateVariable, {
      params: { key: 'OPEN' },
      body: { value: 'new' },
    });
    expect(changed).toMatchObject({ key: 'OPEN', value: 'new', secret: false });
    await call(as, contract.deleteVariable, { params: { key: 'OPEN' } });
    expect((await ask(as, contract.deleteVariable, { params: { key: 'OPEN' } })).status).toBe(404);
  });
});

describe('snippets and dashboards', () => {
  it('are created, read, changed, listed and deleted', async () => {
    const as = await fresh();
    const snippet = await call(as, contract.createSnippet, { body: { name: 's', script: '1' } });
    const params = { id: snippet.id };
    const changed = await call(as, contract.updateSnippet, { params, body: { name: 't' } });
    expect(changed).toMatchObject({ id: snippet.id, name: 't', script: '1' });
    expect(await call(as, contract.getSnippet, { params })).toEqual(changed);
    const listed = await ask(as, contract.listSnippets);
    expect(listed.headers.get('content-range')).toBe('0-0/1');
    expect(listed.body).toEqual([changed]);
    await call(as, contract.deleteSnippet, { params });
    expect((await ask(as, contract.deleteSnippet, { params })).status).toBe(404);

    const dashboard = await call(as, contract.createDashboard, {
      body: { header: 'Shop', customUrl: 'wall' },
    });
    expect(dashboard).toMatchObject({ header: 'Shop', refreshRate: 60, width: 'FULL' });
    const own = { dashboardId: dashboard.dashboardId };
    await call(as, contract.updateDashboard, { params: own, body: { refreshRate: 300 } });
    expect(await call(as, contract.getDashboard, { params: own })).toMatchObject({
      header: 'Shop',
      refreshRate: 300,
    });
    expect((await ask(as, contract.createDashboard, { body: { customUrl: 'wall' } })).status).toBe(409);
    expect(await call(as, contract.listDashboards, {})).toHaveLength(1);
    await call(as, contract.deleteDashboard, { params: own });
    expect((await ask(as, contract.deleteDashboard, { params: own })).status).toBe(404);
  });
});

describe('private locations', () => {
  it('tell a key once, when it is made', async () => {
    const as = await fresh();
    const made = await call(as, contract.createPrivateLocation, {
      body: { name: 'Cellar', slugName: 'cellar' },
    });
    expect(made).toMatchObject({ slugName: 'cellar', lastSeen: null, agentCount: 0 });
    expect(made.keys).toMatchObject([{ rawKey: expect.stringMatching(/^pl_/) }]);
    const params = { id: made.id };
    const key = await call(as, contract.createPrivateLocationKey, { params });
    expect(key.rawKey).toMatch(/^pl_/);
    const read = await call(as, contract.getPrivateLocation, { params });
    expect(read.keys.map(({ id, rawKey }) => [id, rawKey])).toEqual([
      [made.keys[0]?.id, undefined],
      [key.id, undefined],
    ]);
    await call(as, contract.deletePrivateLocationKey, { params: { ...params, keyId: key.id } });
    const again = await ask(as, contract.deletePrivateLocationKey, { params: { ...params, keyId: key.id } });
    expect(again.status).toBe(404);
    expect(await call(as, contract.updatePrivateLocation, { params, body: { name: 'Attic' } })).toMatchObject(
      {
        name: 'Attic',
        slugName: 'cellar',
      },
    );
    const check = await call(as, contract.createDnsCheck, { body: { ...dns, privateLocations: ['cellar'] } });
    expect(check.privateLocations).toEqual(['cellar']);
    const near = await ask(as, contract.createDnsCheck, { body: { ...dns, privateLocations: ['celar'] } });
    expect(violations(near.body)).toMatchObject([{ path: 'privateLocations[0]', nearest: 'cellar' }]);
    expect(await call(as, contract.listPrivateLocations, {})).toHaveLength(1);
    await call(as, contract.deletePrivateLocation, { params });
    for (const endpoint of [contract.deletePrivateLocation, contract.createPrivateLocationKey]) {
      expect((await ask(as, endpoint, { params })).status).toBe(404);
    }
  });

  it('have a slug of their own in the account, and none of a public location', async () => {
    const as = await fresh();
    const body = { name: 'A', slugName: 'a' };
    await call(as, contract.createPrivateLocation, { body });
    expect((await ask(as, contract.createPrivateLocation, { body })).status).toBe(409);
    await call(await fresh(), contract.createPrivateLocation, { body });
    const public_ = await ask(as, contract.createPrivateLocation, {
      body: { name: 'B', slugName: 'eu-west-1' },
    });
    expect(violations(public_.body)).toMatchObject([{ path: 'slugName' }]);
  });
});

describe('alert channels', () => {
  it('carry their subscriptions, and hide what is locked', async () => {
    const as = await fresh();
    const check = await call(as, contract.createDnsCheck, { body: dns });
    const config = {
      name: 'h',
      url: 'https://a.example',
      headers: [{ key: 'k', value: 'hidden', locked: true }],
      webhookSecret: 'hidden',
    };
    const made = await call(as, contract.createAlertChannel, {
      body: { type: 'WEBHOOK', config, subscriptions: [{ checkId: String(check.id) }] },
    });
    expect(made).toMatchObject({
      sendFailure: true,
      sendDegraded: false,
      subscriptions: [{ checkId: check.id, groupId: null, activated: true }],
    });
    expect(JSON.stringify(made)).not.toContain('hidden');
    const params = { id: made.id };
    await call(as, contract.updateAlertChannel, {
      params,
      body: { config: { ...made.config, url: 'https://b.example' } },
    });
    const stored = await service.store.alertChannels.get(as.accountId, made.id);
    expect(stored?.body.config).toEqual({ ...config, url: 'https://b.example' });
    const badType = await ask(as, contract.updateAlertChannel, { params, body: { type: 'EMAIL' } });
    expect(violations(badType.body)).toMatchObject([{ path: 'config.address' }]);
    const bad = await ask(as, contract.updateAlertChannel, {
      params,
      body: {
        subscriptions: [
          {},
          { checkId: 'none' },
          { groupId: 5 },
          { checkId: String(check.id) },
          { checkId: String(check.id) },
        ],
      },
    });
    expect(violations(bad.body).map(({ path }) => path)).toEqual([
      'subscriptions[0]',
      'subscriptions[1].checkId',
      'subscriptions[2].groupId',
      'subscriptions[4]',
    ]);
    await call(as, contract.updateAlertChannel, { params, body: { subscriptions: [] } });
    expect(await call(as, contract.getAlertChannel, { params })).toMatchObject({ subscriptions: [] });
    expect(await call(as, contract.listAlertChannels, {})).toHaveLength(1);
    await call(as, contract.deleteAlertChannel, { params });
    expect((await ask(as, contract.deleteAlertChannel, { params })).status).toBe(404);
  });
});

describe('triggers', () => {
  it('exist once, and are gone when deleted', async () => {
    const check = await call(service, contract.createDnsCheck, { body: dns });
    const params = { checkId: String(check.id) };
    expect((await ask(service, contract.getCheckTrigger, { params })).status).toBe(404);
    const made = await call(service, contract.createCheckTrigger, { params });
    expect(made).toMatchObject({ checkId: check.id, called_at: null, token: expect.any(String) });
    expect((await ask(service, contract.createCheckTrigger, { params })).status).toBe(409);
    expect(await call(service, contract.getCheckTrigger, { params })).toEqual(made);
    await call(service, contract.deleteCheckTrigger, { params });
    expect((await ask(service, contract.deleteCheckTrigger, { params })).status).toBe(404);

    const group = await call(service, contract.createCheckGroup, { body: { name: 'g' } });
    const own = { groupId: Number(group.id) };
    const trigger = await call(service, contract.createGroupTrigger, { params: own });
    expect(await call(service, contract.getGroupTrigger, { params: own })).toEqual(trigger);
    expect((await ask(service, contract.createGroupTrigger, { params: own })).status).toBe(409);
    await call(service, contract.deleteGroupTrigger, { params: own });
    expect((await ask(service, contract.deleteGroupTrigger, { params: own })).status).toBe(404);
  });
});

describe('the account', () => {
  it('has alert settings that are replaced', async () => {
    const as = await fresh();
    expect(await call(as, contract.getAccountAlertSettings, {})).toEqual({
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      reminders: { amount: 0, interval: 5 },
      parallelRunFailureThreshold: { enabled: false, percentage: 10 },
    });
    const settings = {
      escalationType: 'TIME_BASED',
      timeBasedEscalation: { minutesFailingThreshold: 10 },
    } as const;
    await call(as, contract.updateAccountAlertSettings, { body: settings });
    expect(await call(as, contract.getAccountAlertSettings, {})).toEqual(settings);
  });
});

describe('static addresses', () => {
  it('are those of this machine, for every location that it runs checks of', async () => {
    const addresses = await call(service, contract.listStaticIpsByRegion, {});
    expect(Object.keys(addresses)).toHaveLength(22);
    for (const list of Object.values(addresses)) expect(list).not.toContain('127.0.0.1');
  });
});

/** What checks lean on, and what an account has of its own: written, read back and refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns, violations } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const fresh = async () => ({ ...service, ...(await service.newAccount()) });

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
    // The number that clients know a dashboard by does not change.
    const bits = Number.parseInt(dashboard.dashboardId.replaceAll('-', '').slice(0, 12), 16);
    expect([dashboard.id, Number.isSafeInteger(dashboard.id)]).toEqual([bits, true]);
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
    await call(as, contract.deletePrivateLocation, { params, query: { force: true } });
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
      body: { config: { ...made.config, url: 'https://a.example/b' } },
    });
    // A user who may change a channel must not learn its secrets by changing its address.
    const elsewhere = await ask(as, contract.updateAlertChannel, {
      params,
      body: { config: { ...made.config, url: 'https://b.example' } },
    });
    expect(violations(elsewhere.body)).toMatchObject([{ path: 'config.webhookSecret' }]);
    const stored = await service.store.alertChannels.get(as.accountId, made.id);
    expect(stored?.body.config).toEqual({ ...config, url: 'https://a.example/b' });
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

describe('a subscription of an alert channel', () => {
  it('is added or changed one at a time, and leaves the others', async () => {
    const as = await fresh();
    const body = { type: 'EMAIL', config: { address: 'ops@example.com' } } as const;
    const { id } = await call(as, contract.createAlertChannel, { body });
    const check = String((await call(as, contract.createDnsCheck, { body: dns })).id);
    const group = Number((await call(as, contract.createCheckGroup, { body: { name: 'g' } })).id);
    const put = (subscription: object) =>
      ask(as, contract.updateAlertChannelSubscription, { params: { id }, body: subscription });
    const subscriptions = async () =>
      (await call(as, contract.getAlertChannel, { params: { id } })).subscriptions;
    const ofCheck = { checkId: check, groupId: null, activated: false };
    const ofGroup = { checkId: null, groupId: group, activated: true };
    await call(as, contract.updateAlertChannel, { params: { id }, body: { subscriptions: [] } });
    expect(await put({ groupId: group, activated: true })).toMatchObject({ status: 200, body: ofGroup });
    expect(await put({ ...ofCheck, activated: true })).toMatchObject({ status: 200 });
    expect(await put({ checkId: check, activated: false })).toMatchObject({ status: 200, body: ofCheck });
    expect(await put(ofGroup)).toMatchObject({ status: 200, body: ofGroup });
    expect((await subscriptions()).toSorted((one) => (one.checkId === null ? 1 : -1))).toEqual([
      ofCheck,
      ofGroup,
    ]);
    const other = await fresh();
    const foreign = await call(other, contract.createDnsCheck, { body: dns });
    for (const [bad, path] of [
      [{ activated: true }, ''],
      [{ ...ofGroup, checkId: check }, ''],
      [{ checkId: String(foreign.id), activated: true }, 'checkId'],
      [{ checkId: check }, 'activated'],
    ] as const) {
      const refused = await put(bad);
      expect([refused.status, violations(refused.body).map((one) => one.path)]).toEqual([400, [path]]);
    }
    const params = { id: id + 1 };
    expect((await ask(as, contract.updateAlertChannelSubscription, { params, body: ofCheck })).status).toBe(
      404,
    );
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

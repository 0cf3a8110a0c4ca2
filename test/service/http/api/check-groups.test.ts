/** Check groups, and the triggers of groups and checks: written, read back and refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

  it.each([
    ['left out', {}],
    ['empty', { password: '' }],
  ])('keep a password that is %s beside its user name', async (_, sent) => {
    const basicAuth = { username: 'u', password: 'hidden' };
    const { id } = await call(service, contract.createCheckGroup, {
      body: { name: 'g', apiCheckDefaults: { basicAuth } },
    });
    await call(service, contract.updateCheckGroup, {
      params: { id: Number(id) },
      body: { apiCheckDefaults: { basicAuth: { username: 'u', ...sent } } },
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
      body: {
        statusCode: 409,
        error: 'Conflict',
        message: expect.stringContaining(`is in use by check "${dns.name}"`),
      },
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

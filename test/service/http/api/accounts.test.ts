/** Accounts: a key sees its own, and what the service supports is what it can do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryOf } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import { readDeliverySettings } from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { ask, call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startTestService({ engine: { locations: ['eu-west-1'] } });
  other = { ...service, ...(await service.newAccount()) };
});
afterAll(() => service.close());

const accountBy = (accountId: string) => ({ params: { accountId } });

describe('an account', () => {
  it('is the same by every path, and contains the alert settings that were set', async () => {
    const settings = {
      escalationType: 'TIME_BASED',
      timeBasedEscalation: { minutesFailingThreshold: 30 },
    } as const;
    await call(other, contract.updateAccountAlertSettings, { body: settings });
    const account = await call(other, contract.getCurrentAccount, {});
    expect(account).toMatchObject({
      id: other.accountId,
      name: 'another',
      runtimeId: '2026.04',
      plan: 'self-hosted',
      addons: {},
      alertSettings: settings,
      features: [],
    });
    const input = accountBy(other.accountId);
    expect(await call(other, contract.getAccount, accountBy(other.accountId.toUpperCase()))).toEqual(account);
    expect(await call(other, contract.getAccountNext, input)).toEqual(account);
    expect(await call(other, contract.listAccounts, {})).toEqual([account]);
    expect(await call(other, contract.listAccountsNext, {})).toEqual([account]);
  });

  it('is not found by the key of another', async () => {
    for (const endpoint of [contract.getAccount, contract.getAccountNext, contract.getEntitlements])
      expect((await ask(other, endpoint, accountBy(service.accountId))).status).toBe(404);
  });

  it('is used by a key with a name', async () => {
    const { key, secret } = await service.store.keys.create(other.accountId, 'ci');
    const asKey = { ...other, apiKey: secret };
    expect(await call(asKey, contract.getCurrentUser, {})).toEqual({ id: key.id, name: 'ci' });
    expect(await call(other, contract.getCurrentUser, {})).toMatchObject({ name: 'test' });
  });
});

describe('the members of an account', () => {
  const members = async (query: QueryOf<typeof contract.listMembers> = {}) =>
    (await call(other, contract.listCurrentMembers, { query })).members;

  it('are its owner', async () => {
    const id = other.accountId;
    const page = await call(other, contract.listMembers, { ...accountBy(id), query: {} });
    const owner = { type: 'member', accountId: id, userId: id, name: 'another', role: 'OWNER' };
    expect(page).toMatchObject({ members: [{ ...owner, status: 'ACTIVE' }], length: 1, nextId: null });
    expect(await members()).toEqual(page.members);
  });

  it.each([
    [{ search: 'ANOTH' }, 1],
    [{ search: 'nobody' }, 0],
    [{ type: 'member', role: 'OWNER', status: 'ACTIVE', limit: 1 }, 1],
    [{ type: 'invite' }, 0],
    [{ role: 'ADMIN' }, 0],
    [{ status: 'PENDING' }, 0],
  ] as const)('that pass %j', async (query, count) => {
    expect(await members(query)).toHaveLength(count);
  });

  it('have no second page, and are not shown to another account', async () => {
    const ofOther = accountBy(other.accountId);
    expect((await ask(other, contract.listCurrentMembers, { query: { nextId: 'a' } })).status).toBe(400);
    expect((await ask(service, contract.listMembers, { ...ofOther, query: {} })).status).toBe(404);
  });
});

describe('entitlements', () => {
  const enabled = async (of: TestService) => {
    const { entitlements } = await call(of, contract.getCurrentEntitlements, {});
    return Object.fromEntries(entitlements.map(({ key, enabled: isEnabled }) => [key, isEnabled]));
  };

  it('are what this service can do', async () => {
    expect(await enabled(service)).toMatchObject({
      DNS_CHECKS: true,
      AGENTIC_CHECKS: true,
      EMAIL_ALERTS: false,
      WEBHOOK_ALERTS: true,
      ROOT_CAUSE_ANALYSIS: false,
    });
    const { locations } = await call(service, contract.getEntitlements, accountBy(service.accountId));
    expect(locations.all).toHaveLength(22);
    expect(locations.all.filter(({ available }) => available)).toEqual([
      { id: 'eu-west-1', name: 'Ireland', available: true },
    ]);
  });

  it('follow the configuration of the service', async () => {
    const configured = await startTestService({
      whyNoAgenticChecks: 'no model is configured',
      delivery: readDeliverySettings({
        SONDE_SMTP_URL: 'smtp://127.0.0.1:1',
        SONDE_MAIL_FROM: 'sonde@example.com',
      }),
    });
    try {
      expect(await enabled(configured)).toMatchObject({ AGENTIC_CHECKS: false, EMAIL_ALERTS: true });
    } finally {
      await configured.close();
    }
  });
});

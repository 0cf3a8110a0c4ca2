/** The checks of a group: shown with the group's settings, in run order, and only through their own group. */
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

type GroupBody = contract.BodyOf<typeof contract.createCheckGroupV2>;
async function newGroup(body: Partial<GroupBody> = {}): Promise<number> {
  const { id } = await call(service, contract.createCheckGroupV2, { body: { name: 'shop', ...body } });
  return Number(id);
}
async function newDns(body: Partial<contract.BodyOf<typeof contract.createDnsCheck>>): Promise<string> {
  const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, ...body } });
  return String(id);
}

it('a group that the newer endpoint creates has its defaults, and is the one that the older endpoint reads', async () => {
  const made = await call(service, contract.createCheckGroupV2, { body: { name: 'new', concurrency: 2 } });
  expect(made).toMatchObject({ name: 'new', concurrency: 2, doubleCheck: false, retryStrategy: 'FALLBACK' });
  const params = { id: Number(made.id) };
  expect(await call(service, contract.getCheckGroup, { params })).toEqual(made);
  expect((await ask(service, contract.createCheckGroupV2, { body: {} })).status).toBe(400);
});

describe('the settings of the group', () => {
  it('override those of a check, or are added to them', async () => {
    const groupId = await newGroup({
      muted: true,
      tags: ['group', 'both'],
      locations: ['us-east-1'],
      runParallel: true,
      runtimeId: '2025.04',
      retryStrategy: { type: 'LINEAR', maxRetries: 3, baseBackoffSeconds: 7 },
      alertSettings: { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 15 } },
      useGlobalAlertSettings: false,
      environmentVariables: [
        { key: 'SHARED', value: 'group' },
        { key: 'HIDDEN', value: 'hidden', secret: true },
      ],
    });
    const { id } = await call(service, contract.createBrowserCheck, {
      body: {
        name: 'b',
        script: 'x',
        groupId,
        activated: true,
        tags: ['both', 'own'],
        locations: ['eu-west-1', 'eu-west-2'],
        runParallel: false,
        environmentVariables: [{ key: 'SHARED', value: 'own' }],
      },
    });
    const params = { groupId, checkId: String(id) };
    const shown = await call(service, contract.getGroupCheck, { params });
    expect(shown).toMatchObject({
      id,
      activated: true,
      muted: true,
      tags: ['both', 'own', 'group'],
      locations: ['us-east-1'],
      privateLocations: null,
      runParallel: true,
      runtimeId: '2025.04',
      retryStrategy: { type: 'LINEAR', maxRetries: 3, baseBackoffSeconds: 7 },
      useGlobalAlertSettings: false,
      alertSettings: { escalationType: 'TIME_BASED' },
    });
    const variables = (shown as { environmentVariables?: readonly object[] }).environmentVariables;
    expect(variables).toContainEqual(expect.objectContaining({ key: 'SHARED', value: 'own' }));
    expect(JSON.stringify(shown)).not.toContain('hidden');
    // The check itself is unchanged.
    expect(await call(service, contract.getCheck, { params: { id: String(id) } })).toMatchObject({
      muted: false,
      tags: ['both', 'own'],
      locations: ['eu-west-1', 'eu-west-2'],
      runParallel: false,
    });
    expect(await call(service, contract.getGroupCheckV2, { params })).toEqual(shown);
  });

  it('leave to the check what the group does not decide', async () => {
    const groupId = await newGroup({ useGlobalAlertSettings: null });
    const own = { retryStrategy: null, locations: ['eu-west-1'], useGlobalAlertSettings: false } as const;
    const checkId = await newDns({ ...own, locations: ['eu-west-1'], groupId, muted: true });
    const shown = await call(service, contract.getGroupCheck, { params: { groupId, checkId } });
    expect(shown).toMatchObject({ ...own, muted: true });
    expect(shown).not.toHaveProperty('environmentVariables');
  });

  it('deactivate every check of a deactivated group, and subscribe it to the channels of the group', async () => {
    const channel = async (url: string) => {
      const body = { type: 'SLACK', config: { url: `https://hooks.example.com/${url}` } } as const;
      return Number((await call(service, contract.createAlertChannel, { body })).id);
    };
    const [ofCheck, ofGroup] = [await channel('check'), await channel('group')];
    const subscribed = (alertChannelId: number) => ({
      alertChannelSubscriptions: [{ alertChannelId, activated: true }],
    });
    const { id } = await call(service, contract.createCheckGroupV2, {
      query: { autoAssignAlerts: false },
      body: { name: 'off', activated: false, ...subscribed(ofGroup) },
    });
    const groupId = Number(id);
    const check = await call(service, contract.createDnsCheck, {
      query: { autoAssignAlerts: false },
      body: { ...dns, groupId, activated: true, ...subscribed(ofCheck) },
    });
    const params = { groupId, checkId: String(check.id) };
    expect(await call(service, contract.getGroupCheck, { params })).toMatchObject({
      activated: false,
      ...subscribed(ofGroup),
    });
  });
});

it('the list has the checks of the group alone, in run order and page by page', async () => {
  const groupId = await newGroup();
  const last = await newDns({ name: 'last', groupId });
  const second = await newDns({ name: 'second', groupId, groupOrder: 2 });
  const first = await newDns({ name: 'first', groupId, groupOrder: 1 });
  await newDns({ name: 'elsewhere', groupId: await newGroup() });
  const page = async (endpoint: typeof contract.listGroupChecks, query: object) =>
    (await call(service, endpoint, { params: { id: groupId }, query })).map(({ id }) => id);
  expect(await page(contract.listGroupChecks, {})).toEqual([first, second, last]);
  expect(await page(contract.listGroupChecksV2, { limit: 2, page: 2 })).toEqual([last]);
  const answer = await ask(service, contract.listGroupChecks, {
    params: { id: groupId },
    query: { limit: 2 },
  });
  expect(answer.headers.get('content-range')).toBe('0-1/3');
});

it('a check is not found through another group', async () => {
  const [groupId, other] = [await newGroup(), await newGroup()];
  const checkId = await newDns({ groupId });
  expect(await ask(service, contract.getGroupCheck, { params: { groupId: other, checkId } })).toMatchObject({
    status: 404,
    body: { message: `Check ${checkId} in check group ${other} not found` },
  });
});

/** Settings that change while a check fails: open incidents are resolved, or moved to their new place. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { CheckGroupBody } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { SECRETS, startVendors } from '../channels/vendors.ts';
import { BAD, GOOD } from './outcomes.ts';
import { scene } from './scene.ts';

type Trigger = contract.BodyOf<typeof contract.createDnsCheck>['triggerIncident'];

/** A check that opens incidents of a service, and of a vendor over a channel. */
async function alerting(group?: Partial<CheckGroupBody>, databaseUrl?: string) {
  const vendors = await startVendors();
  const at = await scene(
    {},
    {
      vendorOrigins: vendors.vendorOrigins,
      ...(group && { group }),
      ...(databaseUrl !== undefined && { databaseUrl }),
    },
  );
  const config = { account: 'ops', serviceName: 'web', serviceKey: SECRETS.serviceKey };
  const createChannel = async (more: object = {}) =>
    (await call(at, contract.createAlertChannel, { body: { type: 'PAGERDUTY', config, ...more } as never }))
      .id;
  const createService = async (name: string) =>
    String((await call(at, contract.createService, { body: { name } })).id);
  const channel = await createChannel();
  const [web, mail] = [await createService('Web'), await createService('Mail')];
  const change = (body: object) =>
    call(at, contract.updateCheck, { params: { id: at.check.id }, body: body as never });
  const subscribe = (...ids: number[]) =>
    change({ alertChannelSubscriptions: ids.map((id) => ({ alertChannelId: id, activated: true })) });
  await subscribe(channel);
  await change({ triggerIncident: { serviceId: web, severity: 'MAJOR', name: 'Web fails' } });
  return {
    ...{ at, channel, web, mail, change, subscribe, createChannel, config },
    group: (body: object) =>
      call(at, contract.updateCheckGroup, {
        params: { id: at.grouped?.id ?? 0 },
        body: { name: 'a group', ...body } as never,
      }),
    /** The types of alerts that the vendor got, with the channel if it is another one. */
    async kinds() {
      const entries = await call(at, contract.listAlertNotifications, {});
      return entries
        .map(({ alertType, alertChannelId }) =>
          alertChannelId === channel ? alertType : `${alertType} elsewhere`,
        )
        .reverse();
    },
    /** The services, severities and statuses of all incidents, oldest first. */
    async incidents() {
      const stored = await at.store.incidents.list(at.accountId);
      return stored
        .toReversed()
        .map(({ body }) => [
          body.services.map(({ id }) => (id === web ? 'web' : 'mail')).join(),
          body.severity,
          body.lastUpdateStatus,
        ]);
    },
  };
}
type Scene = Awaited<ReturnType<typeof alerting>>;

const OPEN = ['web', 'MAJOR', 'INVESTIGATING'];
const RESOLVED = ['web', 'MAJOR', 'RESOLVED'];

describe.each<{
  readonly name: string;
  readonly group?: object;
  readonly end: (one: Scene) => Promise<unknown>;
}>([
  { name: 'the check is deactivated', end: ({ change }) => change({ activated: false }) },
  { name: 'its group is deactivated', group: {}, end: ({ group }) => group({ activated: false }) },
  {
    name: 'it moves into a deactivated group',
    async end({ at, change }) {
      const body = { name: 'off', activated: false, locations: ['eu-west-1'] };
      const { id } = await call(at, contract.createCheckGroup, { body: body as never });
      await change({ groupId: id });
    },
  },
  {
    name: 'a batch deactivates it',
    end: ({ at }) =>
      call(at, contract.runBatch, {
        body: {
          requests: [
            { operation: 'updateDnsCheck', params: { id: at.check.id }, body: { activated: false } },
          ] as never,
        },
      }),
  },
  {
    name: 'its only location is deleted',
    async end({ at, change }) {
      const body = { name: 'cellar', slugName: 'cellar' };
      const { id } = await call(at, contract.createPrivateLocation, { body });
      await change({ locations: [], privateLocations: ['cellar'] });
      await call(at, contract.deletePrivateLocation, { params: { id }, query: { force: true } });
    },
  },
])('everything open is resolved when $name', ({ group, end }) => {
  it('and a later failure opens it again', async () => {
    const one = await alerting(group);
    await one.at.run(BAD);
    expect([await one.kinds(), await one.incidents()]).toEqual([['ALERT_FAILURE'], [OPEN]]);
    await end(one);
    expect([await one.kinds(), await one.incidents()]).toEqual([
      ['ALERT_FAILURE', 'ALERT_RECOVERY'],
      [RESOLVED],
    ]);
    await one.change({ activated: true, groupId: null, locations: ['eu-west-1'], privateLocations: [] });
    await one.at.run(BAD);
    expect(await one.kinds()).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE']);
    expect(await one.incidents()).toEqual([RESOLVED, OPEN]);
  });
});

it('everything open is resolved on Postgres too', async () => {
  const postgres = await openPostgres();
  const one = await alerting({}, await postgres.createDatabase());
  await one.at.run(BAD);
  await one.group({ activated: false });
  expect([await one.kinds(), await one.incidents()]).toEqual([
    ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    [RESOLVED],
  ]);
});

it('a run that ends after the deactivation opens nothing', async () => {
  const one = await alerting();
  const { session, answer } = await one.at.startWaiting(BAD);
  await one.change({ activated: false });
  answer();
  await one.at.ended(session);
  expect([await one.kinds(), await one.incidents()]).toEqual([[], []]);
});

it('mute leaves everything open: the recovery still resolves it', async () => {
  const one = await alerting();
  await one.at.run(BAD);
  await one.change({ muted: true });
  expect([await one.kinds(), await one.incidents()]).toEqual([['ALERT_FAILURE'], [OPEN]]);
  await one.at.run(GOOD);
  expect([await one.kinds(), await one.incidents()]).toEqual([
    ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    [RESOLVED],
  ]);
});

describe('the incident of a status page', () => {
  const trigger = (one: Scene, more: NonNullable<Trigger> = {}) => ({
    triggerIncident: { serviceId: one.web, severity: 'MAJOR', name: 'Web fails', ...more },
  });

  it('is resolved without a trigger, and opened by a trigger that the failing check gets', async () => {
    const one = await alerting();
    await one.at.run(BAD);
    await one.change({ triggerIncident: null });
    expect(await one.incidents()).toEqual([RESOLVED]);
    await one.change(trigger(one));
    expect(await one.incidents()).toEqual([RESOLVED, OPEN]);
    await one.at.run(GOOD);
    expect(await one.incidents()).toEqual([RESOLVED, RESOLVED]);
    await one.change(trigger(one, { serviceId: one.mail }));
    expect(await one.incidents()).toHaveLength(2);
  });

  it('moves to the service of the trigger, also after a person resolved it', async () => {
    const one = await alerting();
    await one.at.run(BAD);
    await one.change(trigger(one, { serviceId: one.mail }));
    const moved = ['mail', 'MAJOR', 'INVESTIGATING'];
    expect(await one.incidents()).toEqual([RESOLVED, moved]);
    const [newest] = await one.at.store.incidents.list(one.at.accountId);
    await call(one.at, contract.createIncidentUpdate, {
      params: { id: newest?.id ?? '' },
      body: { description: 'It was the cable.', status: 'RESOLVED' },
    });
    await one.change({ description: 'Another text' });
    expect(await one.incidents()).toHaveLength(2);
    await one.change(trigger(one));
    expect((await one.incidents()).at(-1)).toEqual(OPEN);
  });

  it('gets the severity of the trigger, unless a person changed it', async () => {
    const one = await alerting();
    await one.at.run(BAD);
    await one.change(trigger(one, { severity: 'MINOR' }));
    expect(await one.incidents()).toEqual([['web', 'MINOR', 'INVESTIGATING']]);
    const [incident] = await one.at.store.incidents.list(one.at.accountId);
    const params = { id: incident?.id ?? '' };
    await call(one.at, contract.updateIncident, { params, body: { severity: 'CRITICAL' } });
    await one.change(trigger(one, { severity: 'MAJOR' }));
    expect(await one.incidents()).toEqual([['web', 'CRITICAL', 'INVESTIGATING']]);
  });

  it('is resolved when its service is deleted', async () => {
    const one = await alerting();
    await one.at.run(BAD);
    await call(one.at, contract.deleteService, { params: { id: one.web }, query: { force: true } });
    expect(await one.incidents()).toEqual([RESOLVED]);
  });
});

describe('the incident at a vendor', () => {
  it.each<{ readonly name: string; readonly end: (one: Scene) => Promise<unknown> }>([
    { name: 'unsubscribing the check', end: ({ subscribe }) => subscribe() },
    {
      name: 'switching the subscription off',
      end: ({ at, channel }) =>
        call(at, contract.updateAlertChannelSubscription, {
          params: { id: channel },
          body: { checkId: at.check.id, activated: false },
        }),
    },
    {
      name: 'changing the subscriptions of the channel',
      end: ({ at, channel }) =>
        call(at, contract.updateAlertChannel, {
          params: { id: channel },
          body: { subscriptions: [] } as never,
        }),
    },
    {
      name: 'deleting the channel',
      end: ({ at, channel }) => call(at, contract.deleteAlertChannel, { params: { id: channel } }),
    },
    {
      name: 'channels of a group, which replace those of the check',
      async end({ at, change }) {
        const body = {
          ...{ name: 'g', locations: ['eu-west-1'] },
          alertChannelSubscriptions: [{ alertChannelId: at.channels.email.id, activated: true }],
        };
        const query = { autoAssignAlerts: false };
        const { id } = await call(at, contract.createCheckGroup, { query, body: body as never });
        await change({ groupId: id });
      },
    },
  ])('is resolved by $name', async ({ end }) => {
    const one = await alerting();
    await one.at.run(BAD);
    await end(one);
    expect(await one.kinds()).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY']);
    expect(await one.incidents()).toEqual([OPEN]);
    await one.at.run(GOOD);
    expect((await one.kinds()).filter((kind) => kind === 'ALERT_RECOVERY')).toHaveLength(1);
  });

  it('moves to another channel, and to another key of its channel', async () => {
    const one = await alerting();
    await one.at.run(BAD);
    const other = await one.createChannel({ config: { ...one.config, region: 'EU' } });
    await one.subscribe(other);
    expect(await one.kinds()).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE elsewhere']);
    // The vendor refuses this key, so that no incident of it is open.
    const config = { ...one.config, serviceKey: 'c'.repeat(32) };
    await call(one.at, contract.updateAlertChannel, { params: { id: other }, body: { config } as never });
    expect((await one.kinds()).slice(3)).toEqual(['ALERT_RECOVERY elsewhere', 'ALERT_FAILURE elsewhere']);
    await call(one.at, contract.updateAlertChannel, {
      params: { id: other },
      body: { config: { ...config, serviceName: 'renamed' } } as never,
    });
    expect(await one.kinds()).toHaveLength(5);
  });

  it('is opened over a channel that a failing check gets, but not if it is muted', async () => {
    const one = await alerting();
    await one.subscribe();
    await one.at.run(BAD);
    await one.change({ muted: true });
    await one.subscribe(one.channel);
    expect(await one.kinds()).toEqual([]);
    await one.subscribe();
    await one.change({ muted: false });
    await one.subscribe(one.channel);
    expect(await one.kinds()).toEqual(['ALERT_FAILURE']);
  });
});

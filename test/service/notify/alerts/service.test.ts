/** Alerts of a real service: what runs of a check lead to, as real receivers get it. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { rowsOf } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, DEGRADED, GOOD, OURS } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

describe('a failing check', () => {
  it('reaches people by e-mail, webhook and Slack-type webhook, and tells them when it is over', async () => {
    const at = await scene();
    const { run, mail, receiver } = at;
    await run(BAD);
    await run(BAD);
    await run(GOOD);
    await mail.received(2);
    await eventually(() => expect(receiver.requests).toHaveLength(4));
    expect(await at.alerts()).toEqual(['ALERT_FAILURE', 'ALERT_RECOVERY'].flatMap(overAll));
    // A lane each for what a channel is told of the check: no recovery overtakes its failure.
    const rows = await at.store.db.selectFrom('outbox').select('lane').execute();
    const lanes = Object.values(at.channels).map(({ id }) => `alert/${at.check.id}/${id}`);
    expect(new Set(rows.map(({ lane }) => lane))).toEqual(new Set(lanes));
    const hooks = receiver.requests.filter(({ url }) => url === '/').map(({ body }) => JSON.parse(body));
    expect(hooks).toEqual([
      {
        ...{ title: 'Failing: say "hi" <!channel>', type: 'ALERT_FAILURE' },
        why: 'expected "1.2.3.4" <b>but</b> got nothing',
      },
      { title: 'Recovered: say "hi" <!channel>', why: '', type: 'ALERT_RECOVERY' },
    ]);
    const slack = receiver.requests.find(({ url }) => url === '/slack')?.body ?? '';
    expect(JSON.parse(slack)).toMatchObject({ text: 'Failing: say "hi" &lt;!channel&gt;' });
    expect(slack).not.toContain('"type":"mrkdwn"');
    const raw = mail.mails[0]?.raw ?? '';
    expect(raw).toContain('Failing: say "hi" <!channel>');
    expect(raw).not.toContain('<b>but</b> got nothing</pre>');
    expect(raw).toContain('&lt;b&gt;but');
  });

  it('pages nobody for faults of the monitor, and these make no recovery', async () => {
    const at = await scene();
    const { run } = at;
    await run(OURS);
    expect(await at.alerts()).toEqual([]);
    await run(BAD);
    await run(OURS);
    expect(await at.alerts()).toHaveLength(3);
  });

  it('is degraded for those who want to hear of that', async () => {
    const at = await scene();
    const { run } = at;
    await run(DEGRADED);
    await run(GOOD);
    expect(await at.alerts()).toEqual(['webhook ALERT_DEGRADED', 'webhook ALERT_DEGRADED_RECOVERY']);
  });

  it('is silent while it is muted', async () => {
    const at = await scene({ muted: true });
    const { run } = at;
    await run(BAD);
    expect(await at.alerts()).toEqual([]);
  });

  it('is silent within a maintenance window, also when it is run by hand, and not told late', async () => {
    const at = await scene();
    const { run, store, accountId } = at;
    const now = Date.now();
    const window = await store.maintenanceWindows.create(accountId, {
      ...{ name: 'window', pauseAllChecks: true, repeatUnit: null },
      startsAt: new Date(now - 60_000).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
    });
    await run(BAD);
    await store.maintenanceWindows.delete(accountId, window.id);
    expect(await at.alerts()).toEqual([]);
    await run(BAD);
    expect(await at.alerts()).toHaveLength(3);
  });

  it('opens the incident of its service and resolves it', async () => {
    const { run, store, accountId, check } = await scene();
    const { id: serviceId } = await store.services.create(accountId, { name: 'shop' });
    const triggerIncident = { serviceId, name: 'Shop', description: 'Down', notifySubscribers: false };
    const { type, body } = check;
    if (type !== 'DNS') throw new Error('another check');
    await store.checks.replace(accountId, check.id, { type, body: { ...body, triggerIncident } });
    await run(BAD);
    const incidents = async () => rowsOf(await store.incidents.page(accountId, { limit: 10 }));
    expect(await incidents()).toMatchObject([{ body: { name: 'Shop', lastUpdateStatus: 'INVESTIGATING' } }]);
    await run(GOOD);
    expect(await incidents()).toMatchObject([{ body: { lastUpdateStatus: 'RESOLVED' } }]);
  });
});

describe('settings', () => {
  it('of the account hold where nobody has others', async () => {
    const at = await scene();
    await at.store.accounts.setAlertSettings(at.accountId, {
      ...{ runBasedEscalation: { failedRunThreshold: 2 }, reminders: {}, parallelRunFailureThreshold: {} },
    });
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
  });

  const runs = (failedRunThreshold: number) => own({ runBasedEscalation: { failedRunThreshold } });

  it('of a group go before the check’s', async () => {
    const at = await scene(runs(1), { group: runs(2) });
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
  });

  it('of the account go before the check’s where its group says so', async () => {
    const at = await scene(runs(2), { group: { useGlobalAlertSettings: true } });
    await at.run(BAD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
  });

  it('of the check hold where its group leaves it the choice', async () => {
    const at = await scene(runs(2), { group: runs(1) });
    await call(at, contract.updateCheckGroupV2, {
      params: { id: at.grouped?.id ?? 0 },
      body: { name: 'a group', useGlobalAlertSettings: null },
    });
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
  });

  it('mute the checks of a group that is muted, until it is not', async () => {
    const at = await scene({ muted: false }, { group: { muted: true } });
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    const { id, body } = at.grouped ?? { id: 0, body: { name: '' } };
    await at.store.groups.replace(at.accountId, id, { ...body, muted: false });
    await at.run(BAD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
  });

  it('of a group name the channels, where it has any', async () => {
    const at = await scene({}, { group: {} });
    const only = [{ channelId: at.channels.webhook.id, activated: true }];
    await at.store.subscriptions.set(at.accountId, { groupId: at.grouped?.id ?? 0 }, only);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(['webhook ALERT_FAILURE']);
  });

  it('switch a subscription off: nobody is told over it', async () => {
    const at = await scene();
    const { email, webhook } = at.channels;
    const to = [
      { channelId: email.id, activated: false },
      { channelId: webhook.id, activated: true },
    ];
    await at.store.subscriptions.set(at.accountId, { checkId: at.check.id }, to);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(['webhook ALERT_FAILURE']);
  });

  it('say how many locations of a parallel run must fail', async () => {
    const locations: NonNullable<contract.BodyOf<typeof contract.createDnsCheck>['locations']> = [
      ...(['eu-west-1', 'us-east-1', 'ap-south-1', 'sa-east-1'] as const),
    ];
    const at = await scene({
      ...{ locations, runParallel: true },
      ...own({ parallelRunFailureThreshold: { enabled: true, percentage: 50 } }),
    });
    let failing = 1;
    at.finds(async ({ location }) => ((locations as string[]).indexOf(location) < failing ? BAD : GOOD));
    expect((await at.run(GOOD))?.status).toBe('FAILED');
    expect(await at.alerts()).toEqual([]);
    failing = 2;
    await at.run(GOOD);
    expect(await at.alerts()).toEqual(overAll('ALERT_FAILURE'));
    failing = 1;
    await at.run(GOOD);
    expect((await at.alerts()).slice(3)).toEqual(overAll('ALERT_RECOVERY'));
  });

  it('subscribe a new check to every channel there is then, once', async () => {
    const at = await scene();
    const body = { name: 'new', request: { query: 'example.org' }, heartbeat: {}, script: '' };
    const create = (autoAssignAlerts: boolean) =>
      call(at, contract.createDnsCheck, {
        query: { autoAssignAlerts },
        body: { ...body, retryStrategy: null, ...byHand() },
      });
    const [auto, none] = [String((await create(true)).id), String((await create(false)).id)];
    await at.store.alertChannels.create(at.accountId, {
      ...{ type: 'SLACK', config: { url: `${at.receiver.url}/later` } },
    });
    await call(at, contract.updateCheck, { params: { id: auto }, body: { name: 'renamed' } });
    const named = async (checkId: string) =>
      (await at.store.subscriptions.ofTarget(at.accountId, { checkId })).map(({ channelId }) => channelId);
    const { email, webhook, slack } = at.channels;
    expect((await named(auto)).sort()).toEqual([email.id, webhook.id, slack.id].sort());
    expect(await named(none)).toEqual([]);
    // What a person took away does not come back.
    await at.store.subscriptions.set(at.accountId, { checkId: auto }, []);
    await call(at, contract.updateCheck, { params: { id: auto }, body: { name: 'again' } });
    expect(await named(auto)).toEqual([]);
  });
});

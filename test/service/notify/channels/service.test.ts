/** Alerts of a real service over the channels of vendors: threads, incidents, notifications, and what answers hide. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from '../alerts/outcomes.ts';
import { own, scene } from '../alerts/scene.ts';
import { SECRETS, startVendors } from './vendors.ts';

async function sceneOver(types: readonly string[], options: Parameters<typeof scene>[1] = {}) {
  const vendors = await startVendors();
  const at = await scene(own({ escalationType: 'RUN_BASED' }), {
    ...options,
    vendorOrigins: vendors.vendorOrigins,
  });
  const channels = [];
  for (const channel of vendors.channels.filter(({ type }) => types.includes(type))) {
    const body = { ...channel, sendDegraded: true };
    const { id } = await call(at, contract.createAlertChannel, { body });
    channels.push({ channelId: id, activated: true });
  }
  await at.store.subscriptions.set(at.accountId, { checkId: at.check.id }, channels);
  return { ...at, run: at.run, vendors, channels };
}

it('replies in the thread of the failure, and starts a thread with the next failure', async () => {
  const { run, vendors } = await sceneOver(['SLACK_APP']);
  for (const outcome of [BAD, GOOD, BAD, GOOD]) await run(outcome);
  await eventually(() => expect(vendors.received).toHaveLength(4));
  expect(vendors.problems).toEqual([]);
  expect(vendors.received.map(({ body }) => [body.text, body.thread_ts])).toEqual([
    [expect.stringContaining('Failing'), undefined],
    [expect.stringContaining('Recovered'), '1700000000.100001'],
    [expect.stringContaining('Failing'), undefined],
    [expect.stringContaining('Recovered'), '1700000000.100003'],
  ]);
});

it('lists what it sent by channel type, and shows the host alone', async () => {
  const types = ['SLACK', 'SLACK_APP', 'PAGERDUTY', 'OPSGENIE', 'MSTEAMS', 'DISCORD', 'TELEGRAM', 'NTFY'];
  const at = await sceneOver(types);
  await at.run(BAD);
  await eventually(async () => {
    const entries = await call(at, contract.listAlertNotifications, { query: { limit: 100 } });
    expect(entries.map(({ state }) => state)).toEqual(types.map(() => 'SENT'));
    expect(entries.map(({ channelType }) => channelType).toSorted()).toEqual(types.toSorted());
    expect(entries.map(({ recipient }) => recipient)).toContain('api.telegram.org');
    const shown = JSON.stringify(entries);
    for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret);
  });
});

it('shows masks for credentials in every answer, and takes them back', async () => {
  const types = ['SLACK', 'SLACK_APP', 'PAGERDUTY', 'OPSGENIE', 'MSTEAMS', 'DISCORD', 'TELEGRAM', 'NTFY'];
  const at = await sceneOver(types);
  const stored = JSON.stringify(await at.store.alertChannels.list(at.accountId));
  const check = await call(at, contract.getCheck, { params: { id: at.check.id } });
  const all = await call(at, contract.listAlertChannels, { query: { limit: 100 } });
  for (const secret of Object.values(SECRETS)) {
    expect(stored).toContain(secret);
    expect(JSON.stringify([all, check])).not.toContain(secret);
  }
  for (const { id, ...answer } of all) {
    const updated = await ask(at, contract.updateAlertChannel, { params: { id }, body: answer as never });
    expect([updated.status, updated.body]).toEqual([200, expect.objectContaining({ config: answer.config })]);
  }
  const after = JSON.stringify(
    (await at.store.alertChannels.list(at.accountId)).map(({ body }) => body.config),
  );
  for (const secret of Object.values(SECRETS)) expect(after).toContain(secret);
});

it('refuses a mask that is not that of the stored credential', async () => {
  const at = await scene();
  const config = { serviceKey: '***-3fa91c' };
  const body = { type: 'PAGERDUTY' as const, config };
  expect(await ask(at, contract.createAlertChannel, { body })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('exactly the mask of the stored one') },
  });
});

describe('a Slack app', () => {
  const TOKEN = SECRETS.token;

  async function slackScene(config: object, slackToken?: string) {
    const vendors = await startVendors();
    const at = await scene(own({ escalationType: 'RUN_BASED' }), {
      vendorOrigins: vendors.vendorOrigins,
      ...(slackToken === undefined ? {} : { slackToken }),
    });
    const create = () => ask(at, contract.createAlertChannel, { body: { type: 'SLACK_APP', config } });
    async function subscribe() {
      const { id } = await call(at, contract.createAlertChannel, { body: { type: 'SLACK_APP', config } });
      await at.store.subscriptions.set(at.accountId, { checkId: at.check.id }, [
        { channelId: id, activated: true },
      ]);
      return id;
    }
    return { ...at, run: at.run, vendors, create, subscribe };
  }

  it('sends to each of its channels, and replies in the thread of each', async () => {
    const at = await slackScene({ slackChannels: ['#ops', 'C2'], token: TOKEN });
    await at.subscribe();
    await at.run(BAD);
    await eventually(() => expect(at.vendors.received).toHaveLength(2));
    await at.run(GOOD);
    await eventually(() => expect(at.vendors.received).toHaveLength(4));
    expect(at.vendors.problems).toEqual([]);
    const messages = at.vendors.received.map(({ body }) => body);
    const of = (channel: string) => messages.filter((body) => body.channel === channel);
    const threads = ['#ops', 'C2'].map((channel) => of(channel).map((body) => body.thread_ts));
    expect(threads.map(([first]) => first)).toEqual([undefined, undefined]);
    const starts = ['#ops', 'C2'].map((channel) => messages.findIndex((body) => body.channel === channel));
    expect(threads.map(([, reply]) => reply)).toEqual(starts.map((index) => `1700000000.10000${index + 1}`));
  });

  it('uses the token of the service, which is neither stored nor shown', async () => {
    const at = await slackScene({ slackChannels: ['#ops'] }, TOKEN);
    const id = await at.subscribe();
    await at.run(BAD);
    await eventually(() => expect(at.vendors.received).toHaveLength(1));
    // The receiver compares the token.
    expect(at.vendors.problems).toEqual([]);
    const shown = await Promise.all([
      call(at, contract.listAlertChannels, { query: { limit: 100 } }),
      call(at, contract.listAlertNotifications, { query: { limit: 100 } }),
      call(at, contract.testAlertChannel, { params: { id } }),
      at.store.db.selectFrom('outbox').selectAll().execute(),
      at.store.db.selectFrom('alert_channels').selectAll().execute(),
    ]);
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(shown[2]).toMatchObject({ delivered: true, recipient: 'slack.com', error: null });
  });

  it('is refused without a token, and names the setting', async () => {
    const at = await slackScene({ slackChannels: ['#ops'] });
    expect(await at.create()).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('set SONDE_SLACK_TOKEN') },
    });
  });

  it.each([
    [['@alice'], 'must not be a handle, which Slack does not accept: give the member ID'],
    [['#ops', '#ops'], 'must not contain #ops twice'],
    [Array.from({ length: 21 }, (_, index) => `#ops-${index}`), 'must contain at most 20 channels'],
    [[' '], 'must be a channel such as #ops'],
  ])('refuses %j', async (slackChannels, message) => {
    const at = await slackScene({ slackChannels }, TOKEN);
    expect(await at.create()).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message) },
    });
  });

  it('says which of its channels refuses a test message', async () => {
    const vendors = await startVendors(() => ({ body: { ok: false, error: 'invalid_auth' } }));
    const at = await scene({}, { vendorOrigins: vendors.vendorOrigins, slackToken: TOKEN });
    const config = { slackChannels: ['#ops', 'C2'] };
    const { id } = await call(at, contract.createAlertChannel, { body: { type: 'SLACK_APP', config } });
    const { error } = await call(at, contract.testAlertChannel, { params: { id } });
    expect(error).toBe('#ops: answered 200: invalid_auth; C2: answered 200: invalid_auth');
  });
});

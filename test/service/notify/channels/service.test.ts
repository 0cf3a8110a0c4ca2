/** Alerts of a real service over the channels of vendors: threads, incidents, notifications, and what answers hide. */
import { expect, it } from 'vitest';
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

/** What the service tells of the alerts that it sent: the listing, the metrics, and nothing secret in either or in the log. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { ask, call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { startTestService } from '../../../support/service.ts';
import { BAD, GOOD } from './outcomes.ts';
import { overAll, scene } from './scene.ts';

const SECRETS = ['sig-secret', 'header-secret', 'query-secret', 'user-secret', 'path-secret', 'in-the-query'];

it('lists what was sent, to whom and when, the newest first and by pages, and counts it', async () => {
  const at = await scene();
  await at.run(BAD);
  await at.run(GOOD);
  await eventually(async () => {
    const entries = await call(at, contract.listAlertNotifications, { query: { state: 'SENT' } });
    expect(entries).toHaveLength(6);
  });
  const first = await call(at, contract.listAlertNotifications, { query: { limit: 4 } });
  const second = await call(at, contract.listAlertNotifications, { query: { limit: 4, page: 2 } });
  expect([first, second].map(({ length }) => length)).toEqual([4, 2]);
  const all = [...first, ...second].reverse();
  expect(all.map(({ channelType, alertType }) => `${channelType.toLowerCase()} ${alertType}`)).toEqual(
    ['ALERT_FAILURE', 'ALERT_RECOVERY'].flatMap(overAll),
  );
  const host = at.receiver.url.slice('http://'.length);
  expect(all.slice(0, 3).map(({ recipient }) => recipient)).toEqual(['ops@example.com', host, host]);
  expect(all[1]).toMatchObject({
    ...{ checkId: at.check.id, alertChannelId: at.channels.webhook.id, attempts: 1 },
    ...{ lastError: null, nextAttemptAt: null, endedAt: expect.stringMatching(/Z$/) },
    idempotencyKey: at.receiver.requests.find(({ url }) => url === '/')?.headers['idempotency-key'],
  });
  const query = { alertChannelId: at.channels.slack.id, checkId: at.check.id };
  expect((await call(at, contract.listAlertNotifications, { query })).length).toBe(2);
  const metrics = await (
    await fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${at.apiKey}` } })
  ).text();
  expect(metrics).toContain('sonde_deliveries_total{kind="webhook",outcome="sent"} 2');
  expect(metrics).toContain('sonde_messages{state="sent"} 6');
});

it('answers a numbered page as a list with its total, with the published fields and filters', async () => {
  const at = await scene();
  await at.run(BAD);
  const sent = () => call(at, contract.listAlertNotifications, { query: { state: 'SENT' } });
  const entries = await eventually(async () => {
    const page = await sent();
    expect(page).toHaveLength(3);
    return page;
  });
  const pageOf = async (query: object) => {
    const { status, headers, body } = await ask(at, contract.listAlertNotifications, { query });
    return [status, headers.get('content-range'), body];
  };
  expect(await pageOf({ page: 1, limit: 2 })).toEqual([200, '0-1/3', entries.slice(0, 2)]);
  expect(await pageOf({ page: 2, limit: 2 })).toEqual([200, '2-2/3', entries.slice(2)]);
  expect(await pageOf({ page: 3, limit: 2 })).toEqual([200, '*/3', []]);
  expect(entries[0]).toMatchObject({
    ...{ id: expect.stringMatching(/^\d+$/), status: 'SUCCESS', type: entries[0]?.channelType },
    ...{ timestamp: entries[0]?.endedAt, notificationResult: null },
  });
  const webhook = { page: 1, alertChannelId: at.channels.webhook.id };
  expect(await pageOf({ ...webhook, hasFailures: false })).toMatchObject([
    200,
    '0-0/1',
    [{ type: 'WEBHOOK' }],
  ]);
  expect(await pageOf({ ...webhook, hasFailures: true })).toEqual([200, '*/0', []]);
  const created = Math.floor(Date.parse(entries[0]?.created_at ?? '') / 1000);
  const inTime = async (from: number, to: number) => (await pageOf({ page: 1, from, to }))[1];
  expect([await inTime(created - 60, created + 60), await inTime(created - 60, created - 30)]).toEqual([
    '0-2/3',
    '*/0',
  ]);
  expect((await pageOf({ page: 1, nextId: 'x' }))[0]).toBe(400);
});

it('shows no secret of a channel, whatever becomes of its messages, and nothing to another account', async () => {
  let logged = '';
  const sink = new Writable({
    write(chunk, _, done) {
      logged += chunk;
      done();
    },
  });
  const receiver = await serveWith((_, response) => answer(response, { status: 500 }));
  const service = await startTestService({
    ...{ logger: pino(sink), engine: { runners: { DNS: async () => BAD } } },
  });
  onTestFinished(() => service.close());
  const address = `http://me:user-secret@127.0.0.1`;
  const path = 'path-secret?token=in-the-query';
  const channel = (url: string, headers: { key: string; value: string; locked: boolean }[] = []) =>
    call(service, contract.createAlertChannel, {
      body: {
        type: 'WEBHOOK',
        config: {
          ...{ name: 'hook', url, headers, webhookSecret: 'sig-secret' },
          queryParameters: [{ key: 'key', value: 'query-secret', locked: true }],
        },
      },
    });
  await channel(`${address}:${receiver.port}/${path}`, [
    { key: 'x-key', value: 'header-secret', locked: true },
  ]);
  await channel(`${address}:1/${path}`);
  await channel(`http://no-such-host.invalid/${path}`);
  await call(service, contract.createAlertChannel, {
    body: { type: 'SLACK', config: { url: `http://127.0.0.1:1/${path}` } },
  });
  const body = { name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '' };
  const check = await call(service, contract.createDnsCheck, {
    body: { ...body, retryStrategy: null, ...byHand() },
    query: { autoAssignAlerts: true },
  });
  await call(service, contract.triggerCheckSessions, {
    body: { target: { checkId: [String(check.id)] } },
  });
  const list = () => call(service, contract.listAlertNotifications, {});
  await eventually(async () => {
    const entries = await list();
    expect(entries.map(({ lastError }) => lastError)).toEqual(Array(4).fill(expect.any(String)));
  });
  // Given up: what is logged of it.
  await service.store.db.updateTable('outbox').set({ attempts: 6, not_before: 0 }).execute();
  service.store.outboxSignal.wake();
  await eventually(async () => expect((await list()).every(({ state }) => state === 'FAILED')).toBe(true));
  const shown = JSON.stringify(await list());
  expect(logged).toContain('cannot deliver a message');
  for (const secret of SECRETS) {
    expect(shown).not.toContain(secret);
    expect(logged).not.toContain(secret);
  }
  const { apiKey } = await service.newAccount();
  expect(await call({ ...service, apiKey }, contract.listAlertNotifications, {})).toEqual([]);
});

/** Alerts of a real service: what runs of a check lead to, as real receivers get it. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RunOutcome } from '../../../src/runners/types.ts';
import type { TypedCheckBody } from '../../../src/service/store/index.ts';
import { answer, serveWith } from '../../support/http.ts';
import { startMailServer } from '../../support/mail/smtp-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const GOOD: RunOutcome = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 12.34, errors: [], details: {} },
};
const BAD: RunOutcome = { ...GOOD, hasFailures: true, errors: ['expected "1.2.3.4" <b>but</b> got nothing'] };
const OURS: RunOutcome = { ...GOOD, hasErrors: true, errors: ['no resolver'] };
const DEGRADED: RunOutcome = { ...GOOD, isDegraded: true };

type Fields = Partial<(TypedCheckBody & { type: 'DNS' })['body']>;

async function scene(fields: Fields = {}) {
  let outcome = GOOD;
  const mail = await startMailServer();
  const receiver = await serveWith((_, response) => answer(response, {}));
  const service = await startTestService({
    engine: { runners: { DNS: async () => outcome } },
    delivery: {
      mail: {
        host: '127.0.0.1',
        port: mail.port,
        secure: false,
        requireTls: false,
        from: 'sonde@example.com',
      },
    },
  });
  onTestFinished(async () => {
    await service.close();
    await mail.close();
  });
  const { store, accountId } = service;
  const email = await store.alertChannels.create(accountId, {
    ...{ type: 'EMAIL', config: { address: 'ops@example.com' } },
  });
  const template = '{"title": "{{ALERT_TITLE}}", "why": "{{CHECK_ERROR_MESSAGE}}", "type": "{{ALERT_TYPE}}"}';
  const webhook = await store.alertChannels.create(accountId, {
    ...{ type: 'WEBHOOK', sendDegraded: true, config: { name: 'hook', url: receiver.url, template } },
  });
  const slack = await store.alertChannels.create(accountId, {
    ...{ type: 'SLACK', config: { url: `${receiver.url}/slack` } },
  });
  const check = await store.checks.create(accountId, {
    type: 'DNS',
    body: {
      ...{ name: 'say "hi" <!channel>', request: { query: 'example.org' }, heartbeat: {}, script: '' },
      ...{ retryStrategy: null, frequency: 1440, ...fields },
    },
  });
  const to = [email, webhook, slack].map(({ id }) => ({ channelId: id, activated: true }));
  await store.subscriptions.set(accountId, { checkId: check.id }, to);
  const run = async (next: RunOutcome, { engine } = service.service) => {
    outcome = next;
    const target = { checkId: [check.id] };
    const [started] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
    return (await engine.awaitSession(accountId, started?.checkSessionId ?? '', 10_000))?.session;
  };
  return { ...{ service, store, accountId, mail, receiver, check, run } };
}

const sentBy = async ({ store }: Pick<TestService, 'store'>) =>
  (await store.db.selectFrom('outbox').select(['kind', 'alert_type', 'state']).orderBy('id').execute()).map(
    ({ kind, alert_type }) => `${kind} ${alert_type}`,
  );

describe('a failing check', () => {
  it('reaches people by e-mail, webhook and Slack-type webhook, and tells them when it is over', async () => {
    const { run, mail, receiver, service } = await scene();
    await run(BAD);
    await run(BAD);
    await run(GOOD);
    await mail.received(2);
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(4));
    expect(await sentBy(service)).toEqual(
      ['ALERT_FAILURE', 'ALERT_RECOVERY'].flatMap((type) => [
        `email ${type}`,
        `webhook ${type}`,
        `slack ${type}`,
      ]),
    );
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
    const { run, service } = await scene();
    await run(OURS);
    expect(await sentBy(service)).toEqual([]);
    await run(BAD);
    await run(OURS);
    expect(await sentBy(service)).toHaveLength(3);
  });

  it('is degraded for those who want to hear of that', async () => {
    const { run, service } = await scene();
    await run(DEGRADED);
    await run(GOOD);
    expect(await sentBy(service)).toEqual(['webhook ALERT_DEGRADED', 'webhook ALERT_DEGRADED_RECOVERY']);
  });

  it('is silent while it is muted', async () => {
    const { run, service } = await scene({ muted: true });
    await run(BAD);
    expect(await sentBy(service)).toEqual([]);
  });

  it('is silent within a maintenance window, also when it is run by hand, and not told late', async () => {
    const { run, service, store, accountId } = await scene();
    const now = Date.now();
    const window = await store.maintenanceWindows.create(accountId, {
      ...{ name: 'window', pauseAllChecks: true, repeatUnit: null },
      startsAt: new Date(now - 60_000).toISOString(),
      endsAt: new Date(now + 3_600_000).toISOString(),
    });
    await run(BAD);
    await store.maintenanceWindows.delete(accountId, window.id);
    expect(await sentBy(service)).toEqual([]);
    await run(BAD);
    expect(await sentBy(service)).toHaveLength(3);
  });

  it('opens the incident of its service and resolves it', async () => {
    const { run, store, accountId, check } = await scene();
    const { id: serviceId } = await store.services.create(accountId, { name: 'shop' });
    const triggerIncident = { serviceId, name: 'Shop', description: 'Down', notifySubscribers: false };
    const { type, body } = check;
    if (type !== 'DNS') throw new Error('another check');
    await store.checks.replace(accountId, check.id, { type, body: { ...body, triggerIncident } });
    await run(BAD);
    const incidents = async () => (await store.incidents.page(accountId, { limit: 10 })).entries;
    expect(await incidents()).toMatchObject([{ body: { name: 'Shop', lastUpdateStatus: 'INVESTIGATING' } }]);
    await run(GOOD);
    expect(await incidents()).toMatchObject([{ body: { lastUpdateStatus: 'RESOLVED' } }]);
  });
});

describe('settings', () => {
  it('of the account hold, and those of a group before the check’s', async () => {
    const { run, service, store, accountId } = await scene();
    await store.accounts.setAlertSettings(accountId, {
      ...{ runBasedEscalation: { failedRunThreshold: 2 }, reminders: {}, parallelRunFailureThreshold: {} },
    });
    await run(BAD);
    expect(await sentBy(service)).toEqual([]);
    await run(BAD);
    expect(await sentBy(service)).toHaveLength(3);
  });
});

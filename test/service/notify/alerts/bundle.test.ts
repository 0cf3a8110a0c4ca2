/** Alerts of a group or service that share a message. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import {
  combineFacts,
  type PendingAlert,
  splitIntoMessages,
} from '../../../../src/service/notify/alerts/bundle.ts';
import { BUNDLE_MS } from '../../../../src/service/notify/alerts/send-bundle.ts';
import { renderEmail } from '../../../../src/service/notify/channels/email.ts';
import { renderMessage } from '../../../../src/service/notify/channels/index.ts';
import {
  type AlertFacts,
  type AlertKind,
  formatAlertError,
  formatRows,
  formatTitle,
} from '../../../../src/service/notify/facts/alert-facts.ts';
import { call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { dependencyWorld } from './dependency-world.ts';

const factsOf = (name: string, kind: AlertKind, error = 'refused'): AlertFacts => ({
  ...{ kind, at: 60_000, since: 0, groupName: null, tags: ['t'], link: `https://example.com/${name}` },
  check: { id: name, name, type: 'URL' },
  run: { sessionId: 's', resultId: 'r', location: 'eu-west-1', error, responseTime: 3, startedAt: 0 },
});
const pending = (name: string, kind: AlertKind, error?: string): PendingAlert => ({
  id: `${name} ${kind}`,
  facts: factsOf(name, kind, error),
});

describe('messages', () => {
  it('join alerts of a kind, and keep the order of each check', () => {
    const split = splitIntoMessages([
      pending('a', 'ALERT_FAILURE'),
      pending('b', 'ALERT_DEGRADED_FAILURE'),
      pending('a', 'ALERT_RECOVERY'),
      pending('c', 'ALERT_FAILURE'),
      pending('a', 'ALERT_FAILURE'),
      pending('b', 'ALERT_DEGRADED_RECOVERY'),
    ]);
    expect(split.map((message) => message.map(({ facts }) => facts.check.id).join())).toEqual([
      ...['a,b,c', 'a,b', 'a'],
    ]);
  });

  it('look like an alert if there is only one', () => {
    const one = pending('a', 'ALERT_FAILURE');
    expect(combineFacts([one], 'Shop')).toBe(one.facts);
  });

  it('list the checks with reason and link, and count the rest', () => {
    const many = Array.from({ length: 30 }, (_, n) =>
      pending(`check ${n}`, 'ALERT_FAILURE', 'x'.repeat(300)),
    );
    const [first, ...others] = many as [PendingAlert, ...PendingAlert[]];
    const facts = combineFacts([first, ...others], 'Shop');
    expect(formatTitle(facts)).toBe('30 checks of Shop are failing');
    const lines = formatAlertError(facts).split('\n');
    expect(lines.slice(0, 2)).toEqual([`check 0: ${'x'.repeat(159)}…`, '  https://example.com/check 0']);
    const listed = (lines.length - 1) / 2;
    expect(lines.at(-1)).toBe(`and ${30 - listed} more`);
    expect(formatAlertError(facts).length).toBeLessThan(1800);
    expect(formatRows(facts)).toEqual([
      ['Service', 'Shop'],
      ['Since', '1970-01-01 00:00:00 UTC'],
      ['Reported', '1970-01-01 00:01:00 UTC'],
    ]);
    const { html, text } = renderEmail({ ...facts, link: 'https://example.com/?status=failing' });
    expect(html).toContain(
      '<a class="entry" href="https://example.com/check 0" style="color:#1f5bb5">check 0</a>',
    );
    expect(html).toMatch(
      /and 10 more<.*href="https:\/\/example.com\/\?status=failing"[^>]*>Open the checks</s,
    );
    expect(text).toContain('Open the checks:\nhttps://example.com/?status=failing');
  });

  it.each(['NTFY', 'TELEGRAM', 'SMS'] as const)('of %s end with a whole line', (type) => {
    const config = { topic: 't', apiKey: '1:a', chatId: '1', number: '+49 170 1234567' };
    for (const [length, error] of [
      [3, 'e'],
      [30, '漢'],
      [160, '漢'],
      [400, '漢'],
    ] as const) {
      const many = Array.from({ length: 30 }, (_, n) =>
        pending(`${n} ${error.repeat(length / 2)}`, 'ALERT_FAILURE', error.repeat(length)),
      ) as unknown as [PendingAlert, ...PendingAlert[]];
      const facts = combineFacts(many, 'Shop');
      const sent = renderMessage({ type, config }, facts) as {
        readonly payload?: { readonly message?: string; readonly text?: string };
        readonly text?: string;
      };
      const text = sent.payload?.message ?? sent.payload?.text ?? sent.text ?? '';
      const [, more] = /and (\d+) more/.exec(text) ?? [];
      const names = many.filter(({ facts: { check } }) => text.includes(`${check.name}:`));
      const isFirstCut = names.length === 0;
      expect([
        isFirstCut ? 1 : names.length,
        (type === 'NTFY' ? Buffer.byteLength(text) : text.length) <= 4096,
      ]).toEqual([30 - Number(more), true]);
      for (const {
        facts: { run },
      } of names)
        expect(text).toContain((run?.error ?? '').slice(0, 159));
      expect(text.match(/…/g)?.length ?? 0).toBe(length > 160 || isFirstCut ? Math.max(1, names.length) : 0);
    }
  });
});

describe('a group', () => {
  async function shop() {
    const world = await dependencyWorld({ channel: 'SLACK' });
    const group = await world.at.store.groups.create(world.at.accountId, {
      ...{ name: 'Shop', retryStrategy: 'FALLBACK' as const },
    });
    for (const name of ['a', 'b', 'c']) await world.check(name, [], { groupId: group.id });
    return world;
  }

  it('sends one message once each active check has reported since the first alert', async () => {
    const { run, expectAlerts, receiver, at, idOf } = await shop();
    await run('a', 'bad');
    await run('b', 'bad');
    await expectAlerts();
    await run('c', 'good');
    await expectAlerts('a+b ALERT_FAILURE');
    await run('a', 'good');
    await run('b', 'good');
    await run('c', 'good');
    await expectAlerts('a+b ALERT_FAILURE', 'a+b ALERT_RECOVERY');
    const texts = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    await eventually(() =>
      expect(texts()).toEqual(['2 checks of Shop are failing', '2 checks of Shop have recovered']),
    );
    const [failure, recovery] = receiver.requests.map(({ body }) => body);
    expect(failure).toMatch(/"Open the checks"[^}]*\},"url":"http:[^"]+\/\?status=failing"/);
    expect(recovery).toMatch(/"Open the checks"[^}]*\},"url":"http:[^"?]+\/"/);
    // Each check has its alerts, and the list of messages has both checks.
    for (const name of ['a', 'b']) {
      const params = { checkId: idOf(name) };
      expect((await call(at, contract.listAlertsOfCheck, { params })).map((one) => one.alertType)).toEqual([
        ...['ALERT_RECOVERY', 'ALERT_FAILURE'],
      ]);
      const results = await call(at, contract.listCheckResultsDeprecated, { params });
      const alerts = await call(at, contract.listAlertsOfCheck, { params });
      expect(alerts.map((one) => one.checkResultId)).toEqual(results.map((one) => one.id));
      const entries = await call(at, contract.listAlertNotifications, { query: params });
      expect(entries).toMatchObject([
        { alertType: 'ALERT_RECOVERY', checkIds: [idOf('a'), idOf('b')].sort() },
        { alertType: 'ALERT_FAILURE' },
      ]);
    }
  });

  it('waits for at most a minute, and sends a single alert without a bundle', async () => {
    const { run, clock, expectAlerts, receiver } = await shop();
    await run('a', 'bad');
    await clock.advance(BUNDLE_MS - 100);
    await expectAlerts();
    await clock.advance(200);
    await expectAlerts('a ALERT_FAILURE');
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({ text: 'Failing: a' });
  });

  it('delays no check without a group, and no webhook', async () => {
    const { run, check, expectAlerts } = await shop();
    await check('alone');
    await run('alone', 'bad');
    await expectAlerts('alone ALERT_FAILURE');
    const other = await dependencyWorld();
    const group = await other.at.store.groups.create(other.at.accountId, {
      ...{ name: 'g', retryStrategy: 'FALLBACK' as const },
    });
    for (const name of ['a', 'b']) await other.check(name, [], { groupId: group.id });
    await other.run('a', 'bad');
    await other.expectAlerts('a ALERT_FAILURE');
  });
});

it('joins the alerts of the checks of a status page service', async () => {
  const { run, check, at, expectAlerts } = await dependencyWorld({ channel: 'SLACK' });
  const { id: serviceId } = await at.store.services.create(at.accountId, { name: 'Checkout' });
  const triggerIncident = { ...{ serviceId, severity: 'MAJOR', name: 'n', description: 'd' } };
  for (const name of ['a', 'b']) await check(name, [], { triggerIncident });
  await run('a', 'bad');
  await expectAlerts();
  await run('b', 'bad');
  await expectAlerts('a+b ALERT_FAILURE');
});

/** Each vendor accepts the body of every kind of alert, whatever names and messages contain. */
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { ALERT_KINDS } from '../../../../src/contract/enumerations.ts';
import { maskCredentials } from '../../../../src/contract/mask-credential.ts';
import {
  renderMessage,
  renderTestMessages,
  validateChannel,
} from '../../../../src/service/notify/channels/index.ts';
import type { AlertFacts } from '../../../../src/service/notify/facts/alert-facts.ts';
import { createDeliver } from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { readTelegramText, SECRETS, startVendors } from './vendors.ts';

const HOSTILE =
  '<!channel> @everyone <@U1> *b* _i_ ~s~ [evil](https://evil.test) <script>evil()</script> ``` `x` {{DATE(1)}} # - > 1. "q" \\ &amp;';
const check = { id: '11111111-2222-4333-8444-555555555555', name: 'Shop', type: 'URL' };
const run = {
  sessionId: 's',
  resultId: 'r',
  location: 'eu-west-1',
  responseTime: 812.4,
  startedAt: 1_700_000_000_000,
  error: 'answered 503',
};
const plain: AlertFacts = {
  kind: 'ALERT_FAILURE',
  at: 1_700_000_060_000,
  since: 1_700_000_000_000,
  check,
  groupName: null,
  tags: [],
  run,
  link: 'https://sonde.example.com/results/r',
};
const long = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const FACTS: Readonly<Record<string, AlertFacts>> = {
  'an ordinary alert': plain,
  'an alert without a run': { ...plain, run: null, link: null },
  'an empty name': { ...plain, check: { ...check, name: '' } },
  'hostile names': {
    ...plain,
    check: { ...check, name: HOSTILE },
    groupName: HOSTILE,
    tags: [HOSTILE],
    run: { ...run, location: HOSTILE, error: HOSTILE },
  },
  'a certificate': {
    ...plain,
    kind: 'ALERT_SSL',
    run: null,
    certificate: {
      hosts: [HOSTILE],
      expiresAt: 1_700_500_000_000,
      fingerprint: 'AB:CD',
      checks: Array.from({ length: 60 }, () => HOSTILE),
    },
  },
  ...Object.fromEntries(
    ['"\\', '`', '<@', '漢', '🙂', '\u0000'].map((text) => [
      `huge messages of ${JSON.stringify(text)}`,
      {
        ...plain,
        check: { ...check, name: long(text, 255) },
        groupName: long(text, 255),
        tags: Array.from({ length: 100 }, () => long(text, 255)),
        run: { ...run, location: long(text, 255), error: long(text, 100_000) },
      },
    ]),
  ),
};

const context = { idempotencyKey: 'key', signal: new AbortController().signal };

it.each(Object.entries(FACTS))('accepts %s', async (_, facts) => {
  const vendors = await startVendors();
  const deliver = createDeliver({ vendorOrigins: vendors.vendorOrigins }, systemClock);
  for (const channel of vendors.channels) {
    expect([channel.type, validateChannel(channel)]).toEqual([channel.type, []]);
    for (const kind of ALERT_KINDS) {
      const result = await deliver(renderMessage(channel, { ...facts, kind }), context);
      expect([channel.type, kind, vendors.problems, result.ok]).toEqual([channel.type, kind, [], true]);
    }
  }
});

it('cuts no character in two', async () => {
  const { channels } = await startVendors();
  const email = { type: 'EMAIL' as const, config: { address: 'ops@example.com' } };
  const sms = { type: 'SMS' as const, config: { number: '+49 170 1234567' } };
  for (const first of ['', 'a']) {
    const text = first + '🙂'.repeat(50_000);
    const facts = {
      ...plain,
      check: { ...check, name: first + '🙂'.repeat(200) },
      run: { ...run, error: text },
    };
    // JSON escapes half of a character.
    for (const channel of [...channels, email, sms])
      expect(JSON.stringify(renderMessage(channel, facts))).not.toMatch(/\\ud[89a-f]/i);
  }
});

it('accepts a test message', async () => {
  const vendors = await startVendors();
  const deliver = createDeliver({ vendorOrigins: vendors.vendorOrigins }, systemClock);
  for (const channel of vendors.channels) {
    const results = await Promise.all(
      renderTestMessages(channel, 0).map(({ message }) => deliver(message, context)),
    );
    expect([channel.type, results.map(({ ok }) => ok)]).toEqual([channel.type, [true]]);
  }
  expect(vendors.problems).toEqual([]);
  for (const { body } of vendors.received)
    expect(JSON.stringify(body)).toContain('test of the alert channel');
});

async function send(kinds: readonly AlertFacts['kind'][], facts: AlertFacts) {
  const vendors = await startVendors();
  const deliver = createDeliver({ vendorOrigins: vendors.vendorOrigins }, systemClock);
  for (const channel of vendors.channels)
    for (const kind of kinds) await deliver(renderMessage(channel, { ...facts, kind }), context);
  return (vendor: string) => vendors.received.filter((one) => one.vendor === vendor);
}

it('opens and resolves one incident a check, with a lower severity for degradations', async () => {
  const of = await send(['ALERT_FAILURE', 'ALERT_FAILURE_REMAIN', 'ALERT_DEGRADED', 'ALERT_RECOVERY'], plain);
  expect(of('pagerduty').map(({ body }) => [body.event_action, body.dedup_key])).toEqual([
    ['trigger', `sonde-${check.id}`],
    ['trigger', `sonde-${check.id}`],
    ['trigger', `sonde-${check.id}`],
    ['resolve', `sonde-${check.id}`],
  ]);
  const severities = of('pagerduty').map(({ body }) => (body.payload as { severity?: string })?.severity);
  expect(severities).toEqual(['critical', 'critical', 'warning', undefined]);
  expect(of('opsgenie').map(({ path, body }) => [path, body.alias, body.priority])).toEqual([
    ['/v2/alerts', `sonde-${check.id}`, 'P1'],
    ['/v2/alerts', `sonde-${check.id}`, 'P1'],
    ['/v2/alerts', `sonde-${check.id}`, 'P2'],
    [`/v2/alerts/sonde-${check.id}/close?identifierType=alias`, undefined, undefined],
  ]);
  expect(of('ntfy').map(({ body }) => [body.priority, body.tags])).toEqual([
    [5, ['rotating_light']],
    [5, ['rotating_light']],
    [3, ['warning']],
    [3, ['white_check_mark']],
  ]);
  expect(of('telegram')[0]?.body).toMatchObject({ chat_id: '-1001', message_thread_id: 42 });
});

it('reaches Jira Service Management with the alert API of Opsgenie', async () => {
  const vendors = await startVendors();
  const deliver = createDeliver({ vendorOrigins: vendors.vendorOrigins }, systemClock);
  const channel = {
    type: 'OPSGENIE' as const,
    config: { name: 'Ops', apiKey: SECRETS.genieKey, region: 'JSM' },
  };
  expect(validateChannel(channel)).toEqual([]);
  for (const kind of ['ALERT_FAILURE', 'ALERT_RECOVERY'] as const)
    await deliver(renderMessage(channel, { ...plain, kind }), context);
  expect([vendors.problems, vendors.received.map(({ path }) => path)]).toEqual([
    [],
    [
      '/jsm/ops/integration/v2/alerts',
      `/jsm/ops/integration/v2/alerts/sonde-${check.id}/close?identifierType=alias`,
    ],
  ]);
});

it('shows the reason, the time and the link in every message of a failure', async () => {
  const of = await send(['ALERT_FAILURE'], plain);
  for (const vendor of [
    'slack',
    'slackApp',
    'pagerduty',
    'opsgenie',
    'msteams',
    'discord',
    'telegram',
    'ntfy',
  ]) {
    const text = JSON.stringify(of(vendor)[0]?.body);
    for (const part of ['Failing: Shop', 'answered 503', '2023-11-14', plain.link])
      expect([vendor, text]).toEqual([vendor, expect.stringContaining(String(part))]);
  }
});

it.each(['http://localhost:4100/a', 'http://monitoring/a', 'http://[::1]/a'])(
  'puts the link %s, which Discord refuses as that of an embed, into its text',
  async (link) => {
    const [message] = (await send(['ALERT_FAILURE'], { ...plain, link }))('discord');
    const [embed] = (message?.body.embeds ?? []) as readonly {
      readonly url?: string;
      readonly description: string;
    }[];
    expect(embed?.url).toBeUndefined();
    expect(embed?.description).toContain(`Open the result: ${link}`);
  },
);

it('masks an address of ntfy with a password', () => {
  const config = (url: string) => maskCredentials('NTFY', { topic: 'alerts', url }).url;
  expect(config('https://ntfy.example.com/')).toBe('https://ntfy.example.com/');
  expect(config('https://me:hunter2@ntfy.example.com/')).toMatch(
    /^https:\/\/ntfy\.example\.com\/\*\*\*-[0-9a-f]{6}$/,
  );
});

it('lets names and messages neither format, mention nor link', async () => {
  const facts = FACTS['hostile names'] ?? plain;
  const of = await send(['ALERT_FAILURE'], facts);
  for (const { body } of [...of('slack'), ...of('slackApp')]) expect(body.text).not.toMatch(/<|@(?!\u200b)/);
  for (const { body } of of('telegram'))
    expect(readTelegramText(String(body.text)).open).not.toMatch(/evil|@/);
  for (const { body } of of('opsgenie')) expect(JSON.stringify(body)).not.toMatch(/<[a-z!/]/i);
  for (const { body } of of('discord')) {
    const [embed] = body.embeds as readonly {
      readonly title: string;
      readonly description: string;
      readonly fields: readonly { readonly name: string; readonly value: string }[];
    }[];
    for (const text of [embed?.title, ...(embed?.fields ?? []).flatMap(({ name, value }) => [name, value])])
      expect(text?.replaceAll(/\\./gs, '')).not.toMatch(/[`*_~|[\]<@]|:\/\/|^[#>+-]/);
    expect(embed?.description.match(/`/g)).toHaveLength(6);
  }
});

/** What a vendor says when it refuses a message becomes the error of the notification, without the secrets of the channel. */
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { renderTestMessages } from '../../../../src/service/notify/channels/index.ts';
import { createDeliver } from '../../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { SECRETS, startVendors } from './vendors.ts';

const context = { idempotencyKey: 'key', signal: new AbortController().signal };

/** Delivers a test message over a channel type whose vendor answers this. */
async function refused(type: string, refusal: Parameters<typeof answer>[1]) {
  const vendors = await startVendors(() => refusal);
  const deliver = createDeliver({ vendorOrigins: vendors.vendorOrigins }, systemClock);
  const channel = vendors.channels.find((one) => one.type === type);
  if (channel === undefined) throw new Error(`no channel ${type}`);
  const [first] = renderTestMessages(channel, 0);
  if (first === undefined) throw new Error('the channel has no recipient');
  return deliver(first.message, context);
}

const TEAMS_REFUSAL =
  'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error';

const ROWS = [
  [
    'PAGERDUTY',
    {
      status: 400,
      body: {
        status: 'invalid event',
        message: 'Event object is invalid',
        errors: ["'payload.source' is missing"],
      },
    },
    "answered 400: 'payload.source' is missing",
  ],
  [
    'PAGERDUTY',
    { status: 400, body: { message: 'Invalid routing key' } },
    'answered 400: Invalid routing key',
  ],
  [
    'OPSGENIE',
    { status: 422, body: { message: 'Request body is not processable' } },
    'answered 422: Request body is not processable',
  ],
  ['SLACK', { status: 404, body: 'no_service' }, 'answered 404: no_service'],
  ['SLACK', { status: 403, body: '<html>proxy</html>' }, 'answered 403'],
  [
    'SLACK_APP',
    { status: 200, body: { ok: false, error: 'channel_not_found' } },
    'answered 200: channel_not_found',
  ],
  [
    'MSTEAMS',
    {
      status: 401,
      body: {
        error: {
          code: 'DirectApiAuthorizationRequired',
          message: 'The OAuth authorization scheme is required',
        },
      },
    },
    'answered 401: The OAuth authorization scheme is required',
  ],
  [
    'MSTEAMS',
    { status: 200, body: `${TEAMS_REFUSAL} 413 with ContextId tcid=0` },
    `answered 200: ${TEAMS_REFUSAL} 413 with ContextId tcid=0`,
  ],
  [
    'DISCORD',
    { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } },
    'answered 404: Unknown Webhook',
  ],
  [
    'TELEGRAM',
    { status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' } },
    'answered 400: Bad Request: chat not found',
  ],
  [
    'TELEGRAM',
    {
      status: 400,
      body: {
        ok: false,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1_001_234_567_890 },
      },
    },
    'answered 400: Bad Request: group chat was upgraded to a supergroup chat: change chatId to -1001234567890',
  ],
  ['NTFY', { status: 403, body: { code: 40_301, http: 403, error: 'forbidden' } }, 'answered 403: forbidden'],
] as const;

it.each(ROWS)('%s: %o is final', async (type, refusal, error) => {
  expect(await refused(type, refusal)).toEqual({ ok: false, mayRetry: false, error });
});

const LATER = [
  ['PAGERDUTY', { status: 429, headers: { 'retry-after': '30' } }, 30_000],
  ['OPSGENIE', { status: 429, body: { message: 'You are making too many requests!' } }, undefined],
  [
    'SLACK_APP',
    { status: 429, headers: { 'retry-after': '12' }, body: { ok: false, error: 'ratelimited' } },
    12_000,
  ],
  ['SLACK_APP', { status: 200, body: { ok: false, error: 'internal_error' } }, undefined],
  ['SLACK_APP', { status: 200, body: { ok: false, error: 'rate_limited' } }, undefined],
  ['SLACK_APP', { status: 200, body: { ok: false, error: 'team_added_to_org' } }, undefined],
  [
    'DISCORD',
    { status: 429, body: { message: 'You are being rate limited.', retry_after: 64.57, global: false } },
    64_570,
  ],
  [
    'TELEGRAM',
    {
      status: 429,
      body: { ok: false, description: 'Too Many Requests: retry after 14', parameters: { retry_after: 14 } },
    },
    14_000,
  ],
  ['TELEGRAM', { status: 429, body: { ok: false, parameters: { retry_after: 86_400 } } }, 600_000],
  ['NTFY', { status: 429, body: { code: 42_901, http: 429, error: 'limit reached' } }, undefined],
  ['MSTEAMS', { status: 200, body: `${TEAMS_REFUSAL} 429 with ContextId tcid=0` }, undefined],
  ['MSTEAMS', { status: 502, body: 'Bad Gateway' }, undefined],
] as const;

it.each(LATER)('%s: %o is temporary', async (type, refusal, retryAfterMs) => {
  const result = await refused(type, refusal);
  expect(result).toMatchObject({ ok: false, mayRetry: true });
  expect('retryAfterMs' in result ? result.retryAfterMs : undefined).toBe(retryAfterMs);
});

it('shows no credential, even if the vendor repeats it', async () => {
  for (const type of ['PAGERDUTY', 'OPSGENIE', 'SLACK_APP', 'DISCORD', 'TELEGRAM', 'NTFY']) {
    const secrets: Readonly<Record<string, readonly string[]>> = {
      PAGERDUTY: [SECRETS.serviceKey],
      OPSGENIE: [SECRETS.genieKey],
      SLACK_APP: [SECRETS.token],
      DISCORD: [SECRETS.discord],
      TELEGRAM: [SECRETS.bot],
      NTFY: [SECRETS.topic, SECRETS.ntfyToken],
    };
    for (const secret of secrets[type] ?? []) {
      // Cut off within the second one.
      const echo = `${'a'.repeat(170)} ${secret} ${'a'.repeat(15)} ${secret}`;
      const body = { message: echo, description: echo, error: echo, errors: [echo], ok: false };
      const own = await refused(type, { status: 400, body });
      expect(JSON.stringify(own)).not.toContain(secret.slice(0, 4));
      expect([type, JSON.stringify(own)]).toEqual([type, expect.not.stringContaining(secret)]);
      expect(JSON.stringify(own)).toContain('***');
    }
  }
});

it('signs in with the user and the password of the address, which no error shows', async () => {
  const receiver = await serveWith((_, response) => answer(response, { status: 403 }));
  const { host } = new URL(receiver.url);
  const url = `http://me:hunter2@${host}/hooks/a`;
  const result = await createDeliver({}, systemClock)({ kind: 'slack', url, payload: {} }, context);
  expect(receiver.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('me:hunter2').toString('base64')}`,
  );
  expect(result).toMatchObject({ ok: false });
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

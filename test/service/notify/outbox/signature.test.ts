/** The signature of webhooks, as receivers compute it from what they got. */
import { expect, it } from 'vitest';
import { deliverWebhook, signPayload } from '../../../../src/service/notify/outbox/deliver/http.ts';
import { serve } from '../../../support/http.ts';

const context = { idempotencyKey: 'key', signal: new AbortController().signal };
const NOW = 1_795_000_000_000;

it('is the hex HMAC-SHA256 of the payload (RFC 4231, test case 2)', () => {
  expect(signPayload('what do ya want for nothing?', 'Jefe')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

it.each([
  ['POST', '{"é":1}'],
  ['PUT', '{"é":1}'],
  ['GET', ''],
] as const)('of a %s is over what came', async (method, came) => {
  const receiver = await serve({});
  const message = { kind: 'webhook', url: receiver.url, method, body: '{"é":1}', secret: 's3cret' } as const;
  expect(await deliverWebhook(message, context, { timeoutMs: 5000 }, NOW)).toEqual({ ok: true });
  const [request] = receiver.requests;
  expect(request?.body).toBe(came);
  expect(request?.headers).toMatchObject({
    'x-sonde-signature': signPayload(request?.body ?? '', 's3cret'),
    'x-sonde-timestamp': String(NOW),
  });
});

/** Delivers signed webhooks and Slack-type webhooks. */
import { createHmac } from 'node:crypto';
import type { KeyValue, SlackMessage, WebhookMessage } from '../message.ts';
import { type DeliveryContext, type DeliveryResult, failForGood } from './delivery.ts';
import { deliverHttp, type HttpPolicy } from './http.ts';

/** Headers of the HTTP connection, which channels cannot set. */
export const RESERVED_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** Delivers a webhook. `now`: ms since the epoch, for x-sonde-timestamp. */
export async function deliverWebhook(
  message: WebhookMessage,
  context: DeliveryContext,
  policy: HttpPolicy,
  now: number,
): Promise<DeliveryResult> {
  const { method = 'POST', headers = [], queryParameters = [], body, secret } = message;
  if (message.problem !== undefined) return failForGood(message.problem);
  if (!URL.canParse(message.url)) return failForGood('the address is not a valid URL');
  const url = new URL(message.url);
  for (const { key, value } of queryParameters) url.searchParams.append(key, value);
  const hasNoBody = method === 'GET';
  return deliverHttp(
    {
      url,
      method,
      body: hasNoBody ? undefined : body,
      headers: {
        ...(hasNoBody ? {} : { 'content-type': message.contentType ?? 'application/json' }),
        ...normalizeHeaders(headers),
        'x-sonde-timestamp': String(now),
        ...(secret === undefined ? {} : { 'x-sonde-signature': signPayload(hasNoBody ? '' : body, secret) }),
      },
      secrets: [...[...headers, ...queryParameters].map(({ value }) => value), secret ?? ''],
    },
    context,
    policy,
  );
}

/** Returns the hex HMAC-SHA256 of a payload. */
export const signPayload = (payload: string, secret: string): string =>
  createHmac('sha256', secret).update(payload).digest('hex');

function normalizeHeaders(headers: readonly KeyValue[]): Record<string, string> {
  const reserved: readonly string[] = RESERVED_HEADERS;
  const own = headers.map(({ key, value }) => [key.toLowerCase(), value] as const);
  return Object.fromEntries(own.filter(([key]) => key !== '' && !reserved.includes(key)));
}

export async function deliverSlack(
  { url, payload }: SlackMessage,
  context: DeliveryContext,
  policy: HttpPolicy,
): Promise<DeliveryResult> {
  if (!URL.canParse(url)) return failForGood('the address is not a valid URL');
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const body = JSON.stringify(payload);
  // The path of a Slack-type URL is secret.
  const { pathname } = new URL(url);
  return deliverHttp(
    { url: new URL(url), method: 'POST', headers, body, secrets: pathname.length > 1 ? [pathname] : [] },
    context,
    policy,
  );
}

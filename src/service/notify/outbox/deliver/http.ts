/** Delivers webhooks and SMS with one HTTP request each: no redirects, limited time and size, only to allowed addresses. */

import { createHmac } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { decodePercent } from '../../../../base/decode-percent.ts';
import { isUrl } from '../../../../base/parse-url.ts';
import {
  AddressDenied,
  assertAllowed,
  createAllowedLookup,
  type DenyAddress,
} from '../../../../runners/core/address-policy.ts';
import { OFFERED_CIPHERS } from '../../../../runners/tls/handshake.ts';
import { RESERVED_HEADERS } from '../../channels/reserved-headers.ts';
import type { KeyValue, SmsMessage, WebhookMessage } from '../../facts/message.ts';
import {
  DELIVERED,
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
  startIdleTimer,
} from './delivery.ts';

export interface HttpPolicy {
  /** Timeout for sending the request, and again for the response, in ms. */
  readonly timeoutMs: number;
  /** Returns why an address is denied; undefined if it is allowed. */
  readonly denyAddress?: DenyAddress | undefined;
}

export interface HttpDelivery {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Masked in errors. */
  readonly secrets?: readonly string[];
}

/** Maximum size of a request body, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;
/** Maximum size of a response body. */
const MAX_RESPONSE_BYTES = 64 * 1024;
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

export async function deliverHttp(
  delivery: HttpDelivery,
  { idempotencyKey, signal }: DeliveryContext,
  policy: HttpPolicy,
  readResponse: (response: HttpResponse) => DeliveryResult = toDeliveryResult,
): Promise<DeliveryResult> {
  const { url, body = '', secrets = [] } = delivery;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failForGood(`unsupported protocol ${url.protocol} (supported: http and https)`);
  }
  const size = Buffer.byteLength(body);
  if (size > MAX_BODY_BYTES) return failForGood(`the body has ${size} bytes: the limit is ${MAX_BODY_BYTES}`);
  const timeout = new AbortController();
  const timeoutSignal = timeout.signal;
  const idleTimer = startIdleTimer(policy.timeoutMs, () => timeout.abort());
  try {
    const abortSignal = AbortSignal.any([signal, timeoutSignal]);
    // The timeout restarts when the request is sent.
    return readResponse(await exchange(delivery, idempotencyKey, abortSignal, policy, idleTimer.reset));
  } catch (error) {
    if (error instanceof AddressDenied || isInvalidRequest(error))
      return failForGood(formatDeliveryError(error, secrets));
    const isLate = timeoutSignal.aborted && !signal.aborted;
    return retryLater(
      isLate ? `no response within ${policy.timeoutMs / 1000} s` : formatDeliveryError(error, secrets),
    );
  } finally {
    idleTimer.stop();
  }
}

/** Returns whether Node rejected the request before sending it, such as a header with a line break. */
function isInvalidRequest(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS'].includes(code);
}

export interface HttpResponse {
  readonly status: number;
  /** Delay that the receiver requests, in ms. */
  readonly retryAfterMs: number | undefined;
  readonly location: string | undefined;
  /** The body, or its beginning. */
  readonly text: string;
}

export function toDeliveryResult({ status, retryAfterMs, location }: HttpResponse): DeliveryResult {
  if (status >= 400) return retryLater(`answered ${status}`, retryAfterMs);
  if (status < 300) return DELIVERED;
  const host = location !== undefined && isUrl(location) ? ` to ${new URL(location).host}` : '';
  return failForGood(`answered ${status}, a redirect${host}. Redirects are not followed: use the final URL`);
}

/** Parses Retry-After in seconds and returns ms. Dates are not supported. */
function parseRetryAfter(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined || !/^\d{1,6}$/.test(retryAfter.trim())) return undefined;
  return Math.min(Number(retryAfter) * 1000, MAX_RETRY_AFTER_MS);
}

function exchange(
  { url, method, headers, body }: HttpDelivery,
  idempotencyKey: string,
  signal: AbortSignal,
  { denyAddress }: HttpPolicy,
  onSent: () => void,
): Promise<HttpResponse> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  assertAllowed(host, port, denyAddress);
  return new Promise((settle, reject) => {
    const request: ClientRequest = (url.protocol === 'https:' ? secure : plain)(url, {
      method,
      signal,
      agent: false,
      ciphers: OFFERED_CIPHERS,
      lookup: createAllowedLookup(denyAddress, port),
      headers: {
        'user-agent': 'sonde',
        ...headers,
        'idempotency-key': idempotencyKey,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    // After the status has arrived, errors in the rest of the response do not matter.
    let done: (() => void) | undefined;
    request.on('error', (error) => (done === undefined ? reject(error) : done()));
    request.once('finish', onSent);
    request.once('response', (response: IncomingMessage) => {
      const { statusCode = 0, headers: answered } = response;
      let read = 0;
      const chunks: Buffer[] = [];
      const answer = () => {
        settle({
          status: statusCode,
          retryAfterMs: parseRetryAfter(answered['retry-after']),
          location: answered.location,
          text: Buffer.concat(chunks).toString(),
        });
        request.destroy();
      };
      done = answer;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        chunks.push(chunk);
        if (read > MAX_RESPONSE_BYTES) answer();
      });
      response.once('end', answer);
      response.once('error', answer);
    });
    request.end(body);
  });
}

/** Delivers a webhook. `now`: ms since the epoch, for x-sonde-timestamp. */
export async function deliverWebhook(
  message: WebhookMessage,
  context: DeliveryContext,
  policy: HttpPolicy,
  now: number,
): Promise<DeliveryResult> {
  const { method = 'POST', headers = [], queryParameters = [], body, secret } = message;
  if (message.problem !== undefined) return failForGood(message.problem);
  if (!isUrl(message.url)) return failForGood('the address is not a valid URL');
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

/** Settings of the gateway, which receives `{"to", "from", "text"}` as JSON or as a form. */
export interface SmsSettings {
  /** A user and password in it are sent as basic authentication. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  readonly from?: string | undefined;
  readonly format: 'json' | 'form';
}

const NOT_CONFIGURED = 'no SMS gateway is configured: set SONDE_SMS_URL and restart the service';

export async function deliverSms(
  { number, text }: SmsMessage,
  settings: SmsSettings | undefined,
  context: DeliveryContext,
  policy: Pick<HttpPolicy, 'timeoutMs'>,
): Promise<DeliveryResult> {
  if (settings === undefined) return failForGood(NOT_CONFIGURED);
  const url = new URL(settings.url);
  const [user, password] = [url.username, url.password].map((part) => decodePercent(part) ?? part);
  url.username = '';
  url.password = '';
  const fields = { to: number, ...(settings.from === undefined ? {} : { from: settings.from }), text };
  const isForm = settings.format === 'form';
  const authorization = settings.token
    ? `Bearer ${settings.token}`
    : user
      ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      : undefined;
  return deliverHttp(
    {
      url,
      method: 'POST',
      headers: {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
      secrets: [settings.token ?? '', password ?? ''],
    },
    context,
    policy,
  );
}

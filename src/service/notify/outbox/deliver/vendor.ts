/** Delivers messages to the APIs of vendors, and reads how they answer. */
import { isUrl } from '../../../../base/parse-url.ts';
import { oneLine } from '../../../../base/sanitize.ts';
import type { VendorAnswer } from '../../channels/channel-type.ts';
import { CHANNEL_TYPES } from '../../channels/index.ts';
import type { VendorMessage } from '../../facts/message.ts';
import {
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
} from './delivery.ts';
import {
  deliverHttp,
  type HttpPolicy,
  type HttpResponse,
  MAX_RETRY_AFTER_MS,
  toDeliveryResult,
} from './http.ts';

const MAX_REASON_LENGTH = 200;

const NO_SLACK_TOKEN =
  'the channel has no bot token, and the service has none: set SONDE_SLACK_TOKEN and restart the service';

interface VendorSettings {
  /** Bot token for messages of Slack apps without one. */
  readonly slackToken?: string | undefined;
  /** Replacements for the origins of vendors' APIs, for tests. */
  readonly origins?: Readonly<Record<string, string>> | undefined;
}

/** Returns the message with the token of the service if it needs one; undefined if the service has none. */
function withToken(message: VendorMessage, slackToken: string | undefined): VendorMessage | undefined {
  if (message.kind !== 'slack_app' || message.headers?.authorization !== undefined) return message;
  return slackToken === undefined
    ? undefined
    : { ...message, headers: { authorization: `Bearer ${slackToken}` }, secrets: [slackToken] };
}

export async function deliverVendor(
  stored: VendorMessage,
  context: DeliveryContext,
  policy: HttpPolicy,
  { slackToken, origins = {} }: VendorSettings = {},
): Promise<DeliveryResult> {
  if (!isUrl(stored.url)) return failForGood('the address is not a valid URL');
  const message = withToken(stored, slackToken);
  if (message === undefined) return failForGood(NO_SLACK_TOKEN);
  // Its user and password, if any, become a header.
  const url = new URL(message.url);
  const origin = origins[url.origin];
  if (origin !== undefined) ({ protocol: url.protocol, host: url.host } = new URL(origin));
  const { pathname, search, username, password } = url;
  const secrets = [
    ...(message.secrets ?? []),
    ...[username, password].filter((text) => text !== ''),
    ...(pathname.length > 1 ? [pathname] : []),
    ...(search.length > 1 ? [search] : []),
  ];
  const payload =
    context.thread === undefined ? message.payload : { ...message.payload, thread_ts: context.thread };
  return deliverHttp(
    {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...message.headers },
      body: JSON.stringify(payload),
      secrets,
    },
    context,
    policy,
    (response) => readResponse(response, readAnswer(message, response), secrets),
  );
}

/** Reads the body of a response as the vendor documents it. */
function readAnswer({ kind }: VendorMessage, { text }: HttpResponse): VendorAnswer {
  const read = CHANNEL_TYPES[kind.toUpperCase() as keyof typeof CHANNEL_TYPES].readAnswer;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  return read?.(body) ?? {};
}

/** A refusal is final unless its status says that the vendor or the network is the cause. */
function readResponse(
  response: HttpResponse,
  { reason, retryAfterMs, isRefused = false, isTemporary = false, receipt }: VendorAnswer,
  secrets: readonly string[],
): DeliveryResult {
  const { status } = response;
  if (status >= 200 && status < 300 && !isRefused)
    return receipt === undefined ? { ok: true } : { ok: true, receipt };
  if (status >= 300 && status < 400) return toDeliveryResult(response);
  // Masked before it is cut, so that no part of a secret remains.
  const words = oneLine(formatDeliveryError(oneLine(reason ?? ''), secrets), MAX_REASON_LENGTH);
  const error = words === '' ? `answered ${status}` : `answered ${status}: ${words}`;
  const mayRetry = status < 400 ? isTemporary : status === 408 || status === 429 || status >= 500;
  const delay = response.retryAfterMs ?? retryAfterMs;
  return mayRetry
    ? retryLater(error, delay === undefined ? undefined : Math.min(delay, MAX_RETRY_AFTER_MS))
    : failForGood(error);
}

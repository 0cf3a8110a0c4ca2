/** Delivers SMS through the operator's HTTP gateway. */
import type { SmsMessage } from '../message.ts';
import { type DeliveryContext, type DeliveryResult, failForGood } from './delivery.ts';
import { deliverHttp, type HttpPolicy } from './http.ts';

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
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
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

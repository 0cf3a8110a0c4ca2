/** Delivers a message by its kind, with the settings from the environment. */

import type { Clock } from '../../../../base/clock.ts';
import { UsageError } from '../../../../base/errors.ts';
import { isPublicAddress } from '../../../../base/ip-addresses.ts';
import { isUrl } from '../../../../base/parse-url.ts';
import type { Message } from '../../facts/message.ts';
import type { DeliveryContext, DeliveryResult } from './delivery.ts';
import { deliverEmail, type MailSettings, parseMailUrl } from './email.ts';
import { deliverSms, deliverWebhook, type HttpPolicy, type SmsSettings } from './http.ts';
import { deliverVendor } from './vendor.ts';

export interface DeliverySettings {
  /** Missing: e-mail fails with that reason. */
  readonly mail?: MailSettings | undefined;
  /** Missing: SMS fails with that reason. */
  readonly sms?: SmsSettings | undefined;
  /** Bot token for the channels of Slack apps that have none. Missing: their messages fail with that reason. */
  readonly slackToken?: string | undefined;
  /** Timeout of HTTP deliveries, in ms. Default: 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Denies addresses to webhooks. The operator's gateway and mail server are exempt. */
  readonly denyAddress?: HttpPolicy['denyAddress'];
  /** Denies addresses to webhooks of subscribers, in addition. Default: all non-public addresses. */
  readonly denySubscriberAddress?: HttpPolicy['denyAddress'];
  /** Replaces origins of vendors' APIs, such as https://slack.com, so that tests can receive their messages. */
  readonly vendorOrigins?: Readonly<Record<string, string>>;
}

export interface Deliveries {
  readonly email: boolean;
  readonly sms: boolean;
  readonly webhook: boolean;
  readonly slack: boolean;
}

/** Returns the kinds that are configured. Webhooks need no configuration. */
export const listDeliveries = ({ mail, sms }: DeliverySettings): Deliveries => ({
  email: mail !== undefined,
  sms: sms !== undefined,
  webhook: true,
  slack: true,
});

const TIMEOUT_MS = 10_000;

/** Returns why the webhook of a subscriber is denied; undefined for a public address. */
const denyNonPublic = (address: string): string | undefined =>
  isPublicAddress(address)
    ? undefined
    : `${address} is not a public address: webhooks of status page subscribers can only reach public addresses`;

export function createDeliver(
  {
    mail,
    sms,
    slackToken,
    timeoutMs = TIMEOUT_MS,
    denyAddress,
    denySubscriberAddress = denyNonPublic,
    vendorOrigins,
  }: DeliverySettings,
  clock: Clock,
) {
  const policy: HttpPolicy = { timeoutMs, denyAddress };
  const subscriberPolicy: HttpPolicy = {
    timeoutMs,
    denyAddress: (address, port) => denyAddress?.(address, port) ?? denySubscriberAddress(address, port),
  };
  return async (message: Message, context: DeliveryContext): Promise<DeliveryResult> => {
    switch (message.kind) {
      case 'email':
        return deliverEmail(message, mail, context);
      case 'webhook':
        return deliverWebhook(
          message,
          context,
          message.isOfStranger ? subscriberPolicy : policy,
          clock.now(),
        );
      case 'sms':
        return deliverSms(message, sms, context, { timeoutMs });
      default:
        return deliverVendor(message, context, policy, { slackToken, origins: vendorOrigins });
    }
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads SONDE_SMTP_URL and SONDE_MAIL_FROM; SONDE_SMS_URL, SONDE_SMS_TOKEN, SONDE_SMS_FROM and SONDE_SMS_FORMAT;
 * SONDE_SLACK_TOKEN.
 * @throws UsageError with the name of the variable but never its value
 */
export function readDeliverySettings(env: Environment): DeliverySettings {
  const from = env.SONDE_MAIL_FROM || undefined;
  return {
    ...(env.SONDE_SMTP_URL ? { mail: parseMailUrl(env.SONDE_SMTP_URL, from) } : {}),
    ...(env.SONDE_SMS_URL ? { sms: readSmsSettings(env.SONDE_SMS_URL, env) } : {}),
    ...(env.SONDE_SLACK_TOKEN ? { slackToken: readSlackToken(env.SONDE_SLACK_TOKEN) } : {}),
  };
}

function readSlackToken(text: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]{1,500}$/.test(token))
    throw new UsageError('SONDE_SLACK_TOKEN must be one word of ASCII characters');
  return token;
}

function readSmsSettings(url: string, env: Environment): SmsSettings {
  if (!/^https?:\/\//.test(url) || !isUrl(url)) {
    throw new UsageError('SONDE_SMS_URL must be a URL that starts with http:// or https://');
  }
  const format = env.SONDE_SMS_FORMAT || 'json';
  if (format !== 'json' && format !== 'form') {
    throw new UsageError(`SONDE_SMS_FORMAT must be json or form, not "${format}"`);
  }
  return { url, format, token: env.SONDE_SMS_TOKEN || undefined, from: env.SONDE_SMS_FROM || undefined };
}

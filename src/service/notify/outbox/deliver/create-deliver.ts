/** Delivers a message by its kind. */
import type { Clock } from '../../../../base/clock.ts';
import { isPublicAddress } from '../../../../base/ip-addresses.ts';
import type { Message } from '../message.ts';
import type { DeliveryContext, DeliveryResult } from './delivery.ts';
import { deliverEmail, type MailSettings } from './email.ts';
import type { HttpPolicy } from './http.ts';
import { deliverSms, type SmsSettings } from './sms.ts';
import { deliverSlack, deliverWebhook } from './webhook.ts';

/** Settings of all kinds of delivery. */
export interface DeliverySettings {
  /** Missing: e-mail fails with that reason. */
  readonly mail?: MailSettings | undefined;
  /** Missing: SMS fails with that reason. */
  readonly sms?: SmsSettings | undefined;
  /** Timeout of HTTP deliveries, in ms. Default: 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Denies addresses to webhooks. The operator's gateway and mail server are exempt. */
  readonly denyAddress?: HttpPolicy['denyAddress'];
  /** Denies addresses to webhooks of subscribers, in addition. Default: all non-public addresses. */
  readonly denySubscriberAddress?: HttpPolicy['denyAddress'];
}

/** Kinds of messages that can be sent. */
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
  { mail, sms, timeoutMs = TIMEOUT_MS, denyAddress, denySubscriberAddress = denyNonPublic }: DeliverySettings,
  clock: Clock,
) {
  const policy: HttpPolicy = { timeoutMs, denyAddress };
  const subscriberPolicy: HttpPolicy = {
    timeoutMs,
    denyAddress: (address) => denyAddress?.(address) ?? denySubscriberAddress(address),
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
      case 'slack':
        return deliverSlack(message, context, policy);
      case 'sms':
        return deliverSms(message, sms, context, { timeoutMs });
      default:
        return message satisfies never;
    }
  };
}

/** Delivers a message by its kind. */
import type { Clock } from '../../../../base/clock.ts';
import { isPublicAddress } from '../../../../base/public-address.ts';
import type { Message } from '../message.ts';
import type { DeliveryContext, DeliveryResult } from './delivery.ts';
import { deliverEmail, type MailSettings } from './email.ts';
import type { HttpPolicy } from './http.ts';
import { deliverSms, type SmsSettings } from './sms.ts';
import { deliverSlack, deliverWebhook } from './webhook.ts';

/** By what messages leave, as the operator configured it. */
export interface DeliverySettings {
  /** Left out: e-mail cannot leave, and says so. */
  readonly mail?: MailSettings | undefined;
  /** Left out: short messages cannot leave, and say so. */
  readonly sms?: SmsSettings | undefined;
  /** How long a delivery over HTTP may take, in ms; left out: 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Where webhooks may lead. The gateway and the mail server are the operator's own. */
  readonly denyAddress?: HttpPolicy['denyAddress'];
  /** Where webhooks may lead, besides, that somebody without an API key named; left out: to public addresses alone. */
  readonly denySubscriberAddress?: HttpPolicy['denyAddress'];
}

/** Which kinds of messages can leave. */
export interface Deliveries {
  readonly email: boolean;
  readonly sms: boolean;
  readonly webhook: boolean;
  readonly slack: boolean;
}

/** Webhooks need no configuration. */
export const listDeliveries = ({ mail, sms }: DeliverySettings): Deliveries => ({
  email: mail !== undefined,
  sms: sms !== undefined,
  webhook: true,
  slack: true,
});

const TIMEOUT_MS = 10_000;

/** Why an address that a stranger named is not called; undefined where it is the public's. */
const denyNonPublic = (address: string): string | undefined =>
  isPublicAddress(address)
    ? undefined
    : `${address} is not a public address: webhooks of status page subscribers can only reach public addresses`;

export function createDeliver(
  { mail, sms, timeoutMs = TIMEOUT_MS, denyAddress, denySubscriberAddress = denyNonPublic }: DeliverySettings,
  clock: Clock,
) {
  const policy: HttpPolicy = { timeoutMs, denyAddress };
  const ofStrangers: HttpPolicy = {
    timeoutMs,
    denyAddress: (address) => denyAddress?.(address) ?? denySubscriberAddress(address),
  };
  return async (message: Message, context: DeliveryContext): Promise<DeliveryResult> => {
    switch (message.kind) {
      case 'email':
        return deliverEmail(message, mail, context);
      case 'webhook':
        return deliverWebhook(message, context, message.isOfStranger ? ofStrangers : policy, clock.now());
      case 'slack':
        return deliverSlack(message, context, policy);
      case 'sms':
        return deliverSms(message, sms, context, { timeoutMs });
      default:
        return message satisfies never;
    }
  };
}

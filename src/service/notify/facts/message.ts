/** Defines outgoing messages, and enqueues them in the outbox in the caller's transaction. */
import { isUrl } from '../../../base/parse-url.ts';
import type { StoreTransaction } from '../../store/index.ts';

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

export interface EmailMessage {
  readonly kind: 'email';
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Additional headers, such as List-Unsubscribe. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebhookMessage {
  readonly kind: 'webhook';
  readonly url: string;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: readonly KeyValue[];
  /** Appended to those of the URL. */
  readonly queryParameters?: readonly KeyValue[];
  /** Not sent with GET. */
  readonly body: string;
  /** Default: `application/json`. A content-type header takes precedence. */
  readonly contentType?: string;
  /** Why the message cannot be sent, as a sentence without a full stop. Such a message fails at once. */
  readonly problem?: string;
  /** Key that signs the body (x-sonde-signature). */
  readonly secret?: string;
  /** The URL comes from someone without an API key: it must be a public address. */
  readonly isOfStranger?: boolean;
}

/** Kinds of messages to vendors: the types of their channels in lower case. */
export const VENDOR_KINDS = [
  'slack',
  'slack_app',
  'pagerduty',
  'opsgenie',
  'msteams',
  'discord',
  'telegram',
  'ntfy',
] as const;

/** A request to the API of a vendor. */
export interface VendorMessage {
  readonly kind: (typeof VENDOR_KINDS)[number];
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Masked in errors, besides the path of the URL. */
  readonly secrets?: readonly string[];
  /** The message replies to the first one of its lane since this time, ms since the epoch. Default: it replies to none. */
  readonly threadSince?: number;
}

export interface SmsMessage {
  readonly kind: 'sms';
  readonly number: string;
  readonly text: string;
}

export type Message = EmailMessage | WebhookMessage | VendorMessage | SmsMessage;

/** A message with its metadata in the outbox. */
export interface OutgoingMessage {
  readonly accountId: string;
  /**
   * Idempotency key: a second message with the same key is not stored. Receivers get it as `Idempotency-Key` or
   * `Message-ID`.
   */
  readonly key: string;
  readonly message: Message;
  /** Earliest delivery, ms since the epoch. Default: now. */
  readonly notBefore?: number;
  /** Messages of a lane are delivered in order. Default: no order. */
  readonly lane?: string;
  /** Whether it waits for alerts: messages to subscribers of status pages. Default: it does not. */
  readonly isDeferred?: boolean;
  /** Group for the concurrency limit. Default: the receiver (`getDestination`). */
  readonly destination?: string;
  /** Alerts only: fields for listings. */
  readonly alert?: {
    readonly channelId: number;
    readonly checkId: string | null;
    readonly type: string;
    /** The run that caused it. */
    readonly run?: object | null;
  };
}

/** Formats the recipient without the secret parts of an address. */
export function formatRecipient(message: Message): string {
  if (message.kind === 'email') return message.to;
  return message.kind === 'sms' ? message.number : getHost(message.url);
}

/** Returns the group for the concurrency limit: a slow destination delays only its own messages. */
export const getDestination = (message: Message): string =>
  message.kind === 'email' || message.kind === 'sms' ? message.kind : getHost(message.url);

function getHost(url: string): string {
  return isUrl(url) ? new URL(url).host : 'an invalid address';
}

/** The parts of a transaction that the outbox needs. */
export type OutboxTransaction = Pick<
  StoreTransaction,
  'outbox' | 'onCommit' | 'outboxSignal' | 'outboxCapacity' | 'clock'
>;

/**
 * Enqueues a message, which is sent after the commit. Resolves to false, and enqueues nothing, if the key exists. If the
 * outbox is full, stores the message as failed with that reason.
 */
export async function enqueue(tx: OutboxTransaction, outgoing: OutgoingMessage): Promise<boolean> {
  const { message, alert } = outgoing;
  const row = {
    account_id: outgoing.accountId,
    idempotency_key: outgoing.key,
    kind: message.kind,
    recipient: formatRecipient(message),
    destination: outgoing.destination ?? getDestination(message),
    lane: outgoing.lane ?? null,
    priority: outgoing.isDeferred ? 1 : 0,
    not_before: outgoing.notBefore ?? tx.clock.now(),
    channel_id: alert?.channelId ?? null,
    check_id: alert?.checkId ?? null,
    alert_type: alert?.type ?? null,
    run: alert?.run ? JSON.stringify(alert.run) : null,
    payload: JSON.stringify(message),
  };
  const isNew = await tx.outbox.insert(row, tx.outboxCapacity.refusal);
  if (isNew) tx.onCommit(() => tx.outboxSignal.wake());
  return isNew;
}

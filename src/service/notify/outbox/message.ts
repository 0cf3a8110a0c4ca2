/** What leaves the machine: messages of four kinds. Everything a delivery needs is in them. */

/** A header or query parameter. */
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
  /** Besides those that every e-mail has, such as List-Unsubscribe. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebhookMessage {
  readonly kind: 'webhook';
  readonly url: string;
  /** POST where it is left out. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: readonly KeyValue[];
  /** Added to those of the address. */
  readonly queryParameters?: readonly KeyValue[];
  /** As it is sent; not sent with GET. */
  readonly body: string;
  /** `application/json` where it is left out; a header of that name goes before it. */
  readonly contentType?: string;
  /** Why it cannot be sent, as a sentence without a full stop: it fails at once. */
  readonly problem?: string;
  /** Signs the body (x-sonde-signature), where there is one. */
  readonly secret?: string;
  /** Somebody without an API key named the address: it is called where the public is, and nowhere within a network. */
  readonly isOfStranger?: boolean;
}

export interface SlackMessage {
  readonly kind: 'slack';
  readonly url: string;
  /** The payload: text and blocks. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface SmsMessage {
  readonly kind: 'sms';
  readonly number: string;
  readonly text: string;
}

export type Message = EmailMessage | WebhookMessage | SlackMessage | SmsMessage;

/** A message with what the outbox must know of it. */
export interface OutgoingMessage {
  readonly accountId: string;
  /**
   * One for each message that is meant, the same however often it is tried: a second one with the same key is not
   * written, and receivers are given it (`Idempotency-Key`, `Message-ID`).
   */
  readonly key: string;
  readonly message: Message;
  /** Ms since the epoch; left out: at once. */
  readonly notBefore?: number;
  /** Messages of a lane reach their receiver in the order of their writing. Left out: whenever. */
  readonly lane?: string;
  /** What the message takes turns with; left out: with others to the same receiver (`destinationOf`). */
  readonly destination?: string;
  /** Set for alerts: what lists of them show. */
  readonly alert?: { readonly channelId: number; readonly checkId: string | null; readonly type: string };
}

/** Whom a message is for, as people may see it: an address without what may be secret in it. */
export function formatRecipient(message: Message): string {
  switch (message.kind) {
    case 'email':
      return message.to;
    case 'sms':
      return message.number;
    case 'webhook':
    case 'slack':
      return hostOf(message.url);
    default:
      return message satisfies never;
  }
}

/** What a message takes turns by: a destination that is slow or gone holds up nobody but its own. */
export function getDestination(message: Message): string {
  return message.kind === 'webhook' || message.kind === 'slack' ? hostOf(message.url) : message.kind;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an invalid address';
}

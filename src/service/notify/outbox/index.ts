/** The outbox: whoever has something to send writes it here, in the transaction that it follows from. */
export { enqueue } from './enqueue.ts';
export type {
  EmailMessage,
  Message,
  Outgoing,
  Pair,
  SlackMessage,
  SmsMessage,
  WebhookMessage,
} from './message.ts';
export { recipientOf } from './message.ts';

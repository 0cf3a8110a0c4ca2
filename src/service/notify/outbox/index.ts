/** The outbox: whoever has something to send writes it here, in the transaction that it follows from. */
export { enqueue } from './enqueue.ts';
export type {
  EmailMessage,
  KeyValue,
  Message,
  OutgoingMessage,
  SlackMessage,
  SmsMessage,
  WebhookMessage,
} from './message.ts';
export { formatRecipient } from './message.ts';

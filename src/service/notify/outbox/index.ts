/** Exports the outbox for code that enqueues messages. */
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

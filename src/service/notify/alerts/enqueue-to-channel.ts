/** Enqueues an alert to a channel: one message, or one for each of its recipients. */
import type { AlertChannelRecord } from '../../store/index.ts';
import { renderMessages } from '../channels/index.ts';
import type { AlertFacts } from '../facts/alert-facts.ts';
import { enqueue, type OutboxTransaction, type OutgoingMessage } from '../facts/message.ts';

interface Enqueued {
  /** The idempotency key of the message. */
  readonly key: string;
  /** False if the message existed already. */
  readonly isNew: boolean;
}

/** Enqueues the messages of an alert. Each recipient has its own key and its own lane, so that each has its own thread. */
export async function enqueueToChannel(
  tx: OutboxTransaction,
  channel: Pick<AlertChannelRecord, 'body'>,
  facts: AlertFacts,
  outgoing: Omit<OutgoingMessage, 'message'>,
): Promise<readonly Enqueued[]> {
  const enqueued: Enqueued[] = [];
  for (const { message, suffix } of renderMessages(channel.body, facts)) {
    const key = `${outgoing.key}${suffix}`;
    const lane = outgoing.lane === undefined ? {} : { lane: `${outgoing.lane}${suffix}` };
    enqueued.push({ key, isNew: await enqueue(tx, { ...outgoing, ...lane, key, message }) });
  }
  return enqueued;
}

/** Enqueues messages in the outbox, in the caller's transaction. */
import type { StoreTransaction } from '../../store/index.ts';
import { formatRecipient, getDestination, type OutgoingMessage } from './message.ts';

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
    not_before: outgoing.notBefore ?? tx.clock.now(),
    channel_id: alert?.channelId ?? null,
    check_id: alert?.checkId ?? null,
    alert_type: alert?.type ?? null,
    payload: JSON.stringify(message),
  };
  const isNew = await tx.outbox.insert(row, tx.outboxCapacity.refusal);
  if (isNew) tx.onCommit(() => tx.outboxSignal.wake());
  return isNew;
}

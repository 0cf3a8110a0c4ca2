/** Writes messages into the outbox, within the transaction that they follow from. */
import type { StoreTransaction } from '../../store/index.ts';
import { destinationOf, type Outgoing, recipientOf } from './message.ts';

/** The outbox of a transaction, and the way to wake the sender after its commit. */
export type Writing = Pick<
  StoreTransaction,
  'outbox' | 'onCommit' | 'outboxSignal' | 'outboxCapacity' | 'clock'
>;

/**
 * Writes a message; it leaves the machine after the commit, and never where the transaction is given up. Answers false
 * where a message with this key was written before: then nothing is written. Where the outbox is full the message is written as
 * one that failed, with that reason.
 */
export async function enqueue(tx: Writing, outgoing: Outgoing): Promise<boolean> {
  const { message, alert } = outgoing;
  const row = {
    account_id: outgoing.accountId,
    idempotency_key: outgoing.key,
    kind: message.kind,
    recipient: recipientOf(message),
    destination: outgoing.destination ?? destinationOf(message),
    lane: outgoing.lane ?? null,
    not_before: outgoing.notBefore ?? tx.clock.now(),
    channel_id: alert?.channelId ?? null,
    check_id: alert?.checkId ?? null,
    alert_type: alert?.type ?? null,
    payload: JSON.stringify(message),
  };
  const isNew = await tx.outbox.insert(row, tx.outboxCapacity.refusal);
  if (isNew) tx.onCommit(() => tx.outboxSignal.ring());
  return isNew;
}

/** Writes messages into the outbox, within the transaction that they follow from. */
import type { StoreTransaction } from '../store/index.ts';
import { destinationOf, type Outgoing, recipientOf } from './message.ts';

/** The outbox of a transaction, and the way to wake the sender after its commit. */
export type Writing = Pick<StoreTransaction, 'outbox' | 'onCommit' | 'outboxBell' | 'clock'>;

/**
 * Writes a message; it leaves the machine after the commit, and never where the transaction is given up. Answers false
 * where a message with this key was written before: then nothing is written.
 */
export async function enqueue(tx: Writing, outgoing: Outgoing): Promise<boolean> {
  const { message, alert } = outgoing;
  const isNew = await tx.outbox.insert({
    account_id: outgoing.accountId,
    idempotency_key: outgoing.key,
    kind: message.kind,
    recipient: recipientOf(message),
    destination: destinationOf(message),
    lane: outgoing.lane ?? null,
    not_before: outgoing.notBefore ?? tx.clock.now(),
    channel_id: alert?.channelId ?? null,
    check_id: alert?.checkId ?? null,
    alert_type: alert?.type ?? null,
    payload: JSON.stringify(message),
  });
  if (isNew) tx.onCommit(() => tx.outboxBell.ring());
  return isNew;
}

/** Notifies subscribers of incident updates. */
import type { IncidentRecord, StoreTransaction } from '../../store/index.ts';
import { notifySubscribers } from '../subscribers/notify-subscribers.ts';
import type { IncidentUpdate } from './incident-update.ts';
import { STATUS_LABELS } from './status-labels.ts';

/** Enqueues notices of new updates with `notifySubscribers`. `updates` is newest first; notices go out oldest first. */
export async function notifyIncidentUpdates(
  tx: StoreTransaction,
  incident: IncidentRecord,
  updates: readonly IncidentUpdate[],
): Promise<void> {
  for (const update of [...updates].reverse()) {
    if (!update.notifySubscribers) continue;
    await notifySubscribers(tx, {
      accountId: incident.accountId,
      key: `incident/${update.id}`,
      about: 'incident',
      id: incident.id,
      title: incident.body.name,
      state: STATUS_LABELS[update.status] ?? update.status,
      text: update.description,
      at: Date.parse(update.created_at),
      services: incident.body.services.map(({ id }) => id),
    });
  }
}

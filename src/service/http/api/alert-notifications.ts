/** Handles the list of alert notifications: messages in the outbox and their delivery. */
import type { ALERT_CHANNEL_TYPES } from '../../../contract/enumerations.ts';
import type { listAlertNotifications, ResponseOf } from '../../../contract/index.ts';
import type { OutboxMessage } from '../../store/index.ts';
import { toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';

type NotificationResponse = ResponseOf<typeof listAlertNotifications>['entries'][number];

/** Omits the payload, which contains the secrets of the channel. */
function presentNotification(message: OutboxMessage): NotificationResponse {
  return {
    id: message.id,
    alertType: message.alert_type ?? '',
    channelType: message.kind.toUpperCase() as (typeof ALERT_CHANNEL_TYPES)[number],
    alertChannelId: message.channel_id,
    checkId: message.check_id,
    recipient: message.recipient,
    state: message.state,
    attempts: message.attempts,
    lastError: message.last_error,
    idempotencyKey: message.idempotency_key,
    nextAttemptAt: message.state === 'QUEUED' ? toIso(message.not_before) : null,
    created_at: toIso(message.created_at),
    endedAt: toIsoOrNull(message.ended_at),
  };
}

export function alertNotificationHandlers({ store }: HandlerContext) {
  return {
    async listAlertNotifications({ accountId, query }) {
      const { limit, nextId: after, checkId, alertChannelId: channelId, state } = query;
      const page = await store.outbox.alerts({ accountId, limit, after, state, checkId, channelId });
      return {
        length: page.rows.length,
        entries: page.rows.map(presentNotification),
        nextId: page.nextId,
      };
    },
  } satisfies HandlersFor<'listAlertNotifications'>;
}

/** What alerts were sent over which channel, and how that went. */
import type { ALERT_CHANNEL_TYPES } from '../../../contract/enumerations.ts';
import type { listAlertNotifications, ResponseOf } from '../../../contract/index.ts';
import type { OutboxMessage } from '../../store/index.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { iso, isoOrNull } from './documents.ts';

type Shown = ResponseOf<typeof listAlertNotifications>['entries'][number];

/** Never the payload: what is secret of a channel is in it. */
function present(message: OutboxMessage): Shown {
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
    nextAttemptAt: message.state === 'QUEUED' ? iso(message.not_before) : null,
    created_at: iso(message.created_at),
    endedAt: isoOrNull(message.ended_at),
  };
}

export function alertNotificationHandlers({ store }: HandlerContext) {
  return {
    async listAlertNotifications({ accountId, query }) {
      const { limit, nextId: after, checkId, alertChannelId: channelId, state } = query;
      const page = await store.outbox.alerts({ accountId, limit, after, state, checkId, channelId });
      return { length: page.entries.length, entries: page.entries.map(present), nextId: page.nextId };
    },
  } satisfies HandlersFor<'listAlertNotifications'>;
}

/** Handles the list of alert notifications, by cursor or by page number. */
import type { listAlertNotifications, QueryOf, ResponseOf } from '../../../contract/index.ts';
import { MAX_COUNTED, type OutboxMessage, type OutboxState } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { sendContentRange, toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { Rows } from './list-responder.ts';
import { invalid, violation } from './problem.ts';

type Notification = ResponseOf<typeof listAlertNotifications>['entries'][number];

/** The published names of the states. */
const PUBLISHED_STATES: Readonly<Record<OutboxState, NonNullable<Notification['status']>>> = {
  QUEUED: 'IN_PROGRESS',
  SENDING: 'IN_PROGRESS',
  SENT: 'SUCCESS',
  FAILED: 'FAILURE',
};

/** Beyond every instant that the store holds, in seconds. */
const MAX_SECOND = 9_999_999_999;

/** Returns the limits of a query, which are UNIX seconds, in ms. */
const toInstants = ({ from, to }: { readonly from?: number; readonly to?: number }) => ({
  ...(from === undefined ? {} : { from: Math.min(from, MAX_SECOND) * 1000 }),
  ...(to === undefined ? {} : { to: Math.min(to, MAX_SECOND) * 1000 }),
});

/** Omits the payload, which contains the secrets of the channel. */
const presentNotification = (message: OutboxMessage, checkIds: readonly string[] = []): Notification => ({
  id: String(message.id),
  alertType: message.alert_type ?? '',
  channelType: message.kind.toUpperCase(),
  type: message.kind.toUpperCase(),
  status: PUBLISHED_STATES[message.state as OutboxState],
  notificationResult: message.last_error,
  timestamp: toIsoOrNull(message.ended_at),
  alertChannelId: message.channel_id,
  checkId: message.check_id ?? checkIds[0] ?? null,
  ...(checkIds.length === 0 ? {} : { checkIds: [...checkIds] }),
  recipient: message.recipient,
  state: message.state,
  attempts: message.attempts,
  lastError: message.last_error,
  idempotencyKey: message.idempotency_key,
  nextAttemptAt: message.state === 'QUEUED' ? toIso(message.not_before) : null,
  created_at: toIso(message.created_at),
  endedAt: toIsoOrNull(message.ended_at),
});

async function* inOneChunk<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

export function alertNotificationHandlers({ store }: Pick<HandlerContext, 'store'>) {
  async function presentAll(rows: readonly OutboxMessage[]): Promise<Notification[]> {
    const checks = await store.pendingAlerts.checksOf(rows.map(({ id }) => id));
    return rows.map((message) => presentNotification(message, checks.get(message.id)));
  }

  return {
    async listAlertNotifications({ accountId, query, header }) {
      const {
        limit,
        nextId: after,
        checkId,
        alertChannelId: channelId,
        state,
        hasFailures: hasFailed,
      } = query;
      const { page }: QueryOf<typeof listAlertNotifications> = query;
      const filter = { accountId, state, checkId, channelId, hasFailed, ...toInstants(query) };
      if (page === undefined) {
        const { rows, nextId } = await store.outbox.alerts({ ...filter, limit, after });
        const entries = await presentAll(rows);
        return { length: entries.length, entries, nextId };
      }
      if (after !== undefined)
        throw invalid([violation('query', ['nextId'], 'paging', 'must not be combined with page')]);
      const slice = pageSlice({ limit, page });
      const { rows } = await store.outbox.alerts({ ...filter, ...slice });
      const total = await store.outbox.countAlerts(filter);
      sendContentRange(header, slice.offset, rows.length, total > MAX_COUNTED ? '*' : total);
      return new Rows(inOneChunk(await presentAll(rows)));
    },
  } satisfies Partial<Handlers>;
}

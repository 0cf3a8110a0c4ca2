/** Handles the list of alert notifications, by page number. */
import type { listAlertNotifications, ResponseOf } from '../../../contract/index.ts';
import { secondsToMs } from '../../engine/results/time-range.ts';
import { MAX_COUNTED, type OutboxMessage, type OutboxState } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { alertIdOf } from '../../store/sent-alerts.ts';
import { parseRun, presentRunIds } from './alert-run.ts';
import { sendContentRange, toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { Rows } from './list-responder.ts';

type Notification = ResponseOf<typeof listAlertNotifications>[number];

/** The published names of the states. */
const PUBLISHED_STATES: Readonly<Record<OutboxState, NonNullable<Notification['status']>>> = {
  QUEUED: 'IN_PROGRESS',
  SENDING: 'IN_PROGRESS',
  SENT: 'SUCCESS',
  FAILED: 'FAILURE',
};

/** Returns the limits of a query, which are UNIX seconds, in ms. */
const toInstants = ({ from, to }: { readonly from?: number; readonly to?: number }) => ({
  ...(from === undefined ? {} : { from: secondsToMs(from) }),
  ...(to === undefined ? {} : { to: secondsToMs(to) }),
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
  ...(checkIds.length === 0
    ? { checkAlertId: alertIdOf(message.idempotency_key) }
    : { checkIds: [...checkIds] }),
  ...presentRunIds(parseRun(message.run)),
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
      const { limit, page, checkId, alertChannelId: channelId, state, hasFailures: hasFailed } = query;
      const filter = { accountId, state, checkId, channelId, hasFailed, ...toInstants(query) };
      const slice = pageSlice({ limit, page });
      const { rows } = await store.outbox.alerts({ ...filter, ...slice });
      const total = await store.outbox.countAlerts(filter);
      sendContentRange(header, slice.offset, rows.length, total > MAX_COUNTED ? '*' : total);
      return new Rows(inOneChunk(await presentAll(rows)));
    },
  } satisfies Partial<Handlers>;
}

/** Notifies subscribers of maintenance events, with times in the time zone of the window. */

import { isZone } from '../../calendar/zone.ts';
import type { MaintenanceEvent, Period } from '../maintenance/periods.ts';
import type { MaintenanceWindowBody, MaintenanceWindowWithState, StoreTransaction } from '../store/index.ts';
import type { Notice } from './subscribers/messages.ts';
import { notifySubscribers } from './subscribers/notify-subscribers.ts';

const MINUTE = 60_000;
const UNITS = [
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const;

/** Formats a duration in the largest unit that divides it: `2 hours`, `1 day`, `90 minutes`. */
function formatMinutes(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE));
  const [unit, size] = UNITS.find(([, each]) => minutes % each === 0) ?? ['minute', 1];
  const count = minutes / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Formats `21 November 2026, 23:00 to 22 November 2026, 01:00 (Europe/Berlin)`; omits the second date if equal. */
export function formatPeriod({ startsAt, endsAt }: Period, name: string | undefined): string {
  // A newer Node may have accepted a zone that this one does not know. The window then repeats in UTC, too.
  const timeZone = isZone(name) ? name : 'UTC';
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone });
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone });
  const full = (instant: number) => `${day.format(instant)}, ${time.format(instant)}`;
  const isOneDay = day.format(startsAt) === day.format(endsAt);
  return `${full(startsAt)} to ${isOneDay ? time.format(endsAt) : full(endsAt)} (${timeZone})`;
}

/** Formats an event at an instant (ms since the epoch) as the state of a notice. */
export function formatEvent({ kind, period }: MaintenanceEvent, instant: number): string {
  switch (kind) {
    case 'STARTED':
      return 'Maintenance in progress';
    case 'ENDED':
      return 'Maintenance completed';
    case 'REMINDER':
      return `Scheduled maintenance starts in ${formatMinutes(period.startsAt - instant)}`;
    default:
      return kind satisfies never;
  }
}

/** Returns the services that a window affects. */
export function getAffectedServices({
  statusPageVisibility: shown,
}: MaintenanceWindowBody): Notice['services'] {
  if (shown?.affectAllServices === true) return 'all';
  return shown?.serviceIds?.length ? shown.serviceIds : 'none';
}

/** Enqueues a notice to the subscribers of the pages that show a window, in the caller's transaction. */
export async function notifyMaintenance(
  tx: StoreTransaction,
  { id, accountId, body }: MaintenanceWindowWithState,
  event: MaintenanceEvent,
): Promise<void> {
  const at = tx.clock.now();
  const { statusPageIds = [] } = body.statusPageVisibility ?? {};
  const times = formatPeriod(event.period, body.timezone);
  await notifySubscribers(tx, {
    accountId,
    at,
    id: String(id),
    about: 'maintenance',
    title: body.name,
    pages: statusPageIds,
    // A random key: the state of the window already prevents duplicates.
    key: `maintenance/${id}/${tx.random.uuid()}`,
    state: formatEvent(event, at),
    text: [
      body.description ?? '',
      `${event.kind === 'ENDED' ? 'Maintenance window:' : 'Scheduled:'} ${times}`,
    ]
      .filter((line) => line !== '')
      .join('\n'),
    services: getAffectedServices(body),
  });
}

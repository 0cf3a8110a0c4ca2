/** Renders a maintenance window as a card: state, next occurrences, effects and status pages. */

import { formatDuration } from '../../../base/format-duration.ts';
import { type Occurrence, occurrences, take } from '../../../calendar/occurrences.ts';
import { isZone, type Zone, zoneOf } from '../../../calendar/zone.ts';
import { type Card, commands, facts, type Section, table, text } from '../../../terminal/card/card.ts';
import { formatRelativeTime } from '../../../terminal/index.ts';
import { formatCommandLine } from '../../framework/format-command-line.ts';
import type { Invocation } from '../../framework/index.ts';
import {
  formatRepeat,
  type MaintenanceWindow,
  pausedChecks,
  silencedAlerts,
  type WindowStatus,
  windowStatus,
} from '../maintenance-state.ts';

/** The number of occurrences that the card shows. */
const MAX_OCCURRENCES = 5;

/** Returns the card. `now`: milliseconds since the epoch. */
export function maintenanceCard(
  { globals, output }: Pick<Invocation, 'globals' | 'output'>,
  window: MaintenanceWindow,
  now: number,
): Card {
  const status = windowStatus(window, now);
  const name = isZone(window.timezone) ? window.timezone : 'UTC';
  const own = { name, zone: zoneOf(name) };
  const next = take(occurrences(window, now), MAX_OCCURRENCES);
  return {
    title: { text: window.name, state: status.state, aside: `maintenance window ${window.id}` },
    sections: [
      text(window.description ?? ''),
      facts([
        { label: 'State', value: formatState(status, window, now) },
        { label: 'Repeats', value: formatRepeat(window) ?? 'never' },
        {
          label: 'Until',
          value: window.repeatUnit ? (window.repeatEndsAt ?? undefined) : undefined,
          kind: 'time',
        },
        {
          label: 'Time zone',
          value:
            window.timezone && window.timezone !== name
              ? `${window.timezone}, which is unknown: using UTC`
              : name,
        },
      ]),
      occurrencesTable(
        next.length > 0 ? next : firstOccurrence(window),
        own,
        output.utc ? UTC : localZone(),
        now,
      ),
      facts([
        { label: 'Pauses', value: pausedChecks(window), kind: 'list' },
        { label: 'Silences', value: silencedAlerts(window), kind: 'list' },
        ...statusPageFacts(window),
        { label: 'Created', value: window.created_at, kind: 'time' },
        { label: 'Updated', value: window.updated_at ?? undefined, kind: 'time' },
      ]),
      commands([
        {
          does: 'Export to a calendar',
          line: `${formatCommandLine({ globals }, 'maintenance', 'get', String(window.id), '-o', 'ical')} > window.ics`,
        },
      ]),
    ],
  };
}

interface NamedZone {
  readonly name: string;
  readonly zone: Zone;
}
const UTC: NamedZone = { name: 'UTC', zone: zoneOf('UTC') };

function localZone(): NamedZone {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name, zone: zoneOf(name) };
}

function formatState({ state, occurrence }: WindowStatus, window: MaintenanceWindow, now: number): string {
  if (state === 'active' && occurrence) return `active, ends ${formatRelativeTime(occurrence.endsAt, now)}`;
  if (state === 'upcoming' && occurrence)
    return `not active, starts ${formatRelativeTime(occurrence.startsAt, now)}`;
  const end = Date.parse(window.endsAt);
  return window.repeatUnit || Number.isNaN(end) ? 'over' : `over, ended ${formatRelativeTime(end, now)}`;
}

const firstOccurrence = (window: MaintenanceWindow): readonly Occurrence[] =>
  take(occurrences(window, Number.NEGATIVE_INFINITY), 1);

/** Returns one row for each occurrence, in the window's time zone and, if it differs, in the reader's. */
function occurrencesTable(
  its: readonly Occurrence[],
  own: NamedZone,
  reader: NamedZone,
  now: number,
): Section {
  const differs = its.some(
    ({ startsAt, endsAt }) =>
      own.zone(startsAt) !== reader.zone(startsAt) || own.zone(endsAt) !== reader.zone(endsAt),
  );
  const isOver = its.every(({ endsAt }) => endsAt <= now);
  return table({
    heading: isOver ? 'Previous window' : its.length > 1 ? 'Next windows' : 'Window',
    columns: [
      {
        key: 'own',
        header: `in ${own.name}`,
        value: (each: Occurrence) => formatSpan(each, own.zone),
        priority: 100,
      },
      ...(differs
        ? [
            {
              key: 'yours',
              header: `for you, in ${reader.name}`,
              value: (each: Occurrence) => formatSpan(each, reader.zone),
              priority: 90,
            },
          ]
        : []),
      {
        key: 'startsAt',
        header: 'starts',
        kind: 'time' as const,
        value: ({ startsAt }: Occurrence) => startsAt,
        priority: 70,
      },
      {
        key: 'length',
        header: 'for',
        value: ({ startsAt, endsAt }: Occurrence) => formatDuration(endsAt - startsAt),
        priority: 60,
      },
    ],
    rows: its,
  });
}

/** Formats `Sun 2026-11-22 02:00 to 04:00`, with the weekday of the end if it is the next day, and its date if it is later. */
function formatSpan({ startsAt, endsAt }: Occurrence, zone: Zone): string {
  const [start, end] = [wallClockAt(startsAt, zone), wallClockAt(endsAt, zone)];
  const days = end.date - start.date;
  const day = days === 0 ? '' : days === DAY ? `${weekday(end.date)} ` : `${formatDate(end.date)} `;
  return `${formatDate(start.date)} ${start.time} to ${day}${end.time}`;
}

const DAY = 24 * 60 * 60 * 1000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const weekday = (date: number): string => DAYS[new Date(date).getUTCDay()] ?? '';
const formatDate = (date: number): string => `${weekday(date)} ${new Date(date).toISOString().split('T')[0]}`;

/** Returns the wall clock time in a zone. `date`: the start of the day in UTC, in milliseconds. */
function wallClockAt(instant: number, zone: Zone): { readonly date: number; readonly time: string } {
  const shown = instant + zone(instant);
  const date = Math.floor(shown / DAY) * DAY;
  return { date, time: new Date(shown).toISOString().slice(-13, -8) };
}

/** Returns facts about the status pages that show the window, and about notifications. */
function statusPageFacts({ statusPageVisibility: shown }: MaintenanceWindow) {
  if (!shown?.enabled) return [{ label: 'Shown on', value: 'none' }];
  const notifications = [
    ...(shown.notifyOnStart ? ['at the start'] : []),
    ...(shown.notifyOnEnd ? ['at the end'] : []),
    ...(shown.reminderMinutesBefore ?? []).map((minutes) => `${formatDuration(minutes * 60_000)} before`),
  ];
  return [
    { label: 'Shown on', value: shown.statusPageIds?.length ? shown.statusPageIds : 'status pages' },
    {
      label: 'Affects',
      value: shown.affectAllServices ? 'all services' : (shown.serviceIds ?? []),
      kind: 'list' as const,
    },
    { label: 'Severity', value: shown.severity },
    { label: 'Notifies subscribers', value: notifications.length > 0 ? notifications.join(', ') : 'never' },
    {
      label: 'Incidents',
      value: shown.suppressAutoIncidents ? 'suppressed for failing checks' : undefined,
    },
  ];
}

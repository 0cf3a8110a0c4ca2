/** A maintenance window as a card: how it stands, when it is open next, what it pauses and silences, and where it shows. */
import { type Occurrence, occurrences, take } from '../../../calendar/occurrences.ts';
import { isZone, type Zone, zoneOf } from '../../../calendar/zone.ts';
import { type Card, commands, facts, type Section, table, text } from '../../../terminal/card/card.ts';
import { duration, relativeTime } from '../../../terminal/index.ts';
import { commandLine } from '../../framework/command-line.ts';
import type { Invocation } from '../../framework/index.ts';
import {
  formatRepeat,
  type MaintenanceWindow,
  pausedChecks,
  silencedAlerts,
  type WindowStatus,
  windowStatus,
} from '../maintenance-state.ts';

/** How many of the next times are told. */
const MAX_OCCURRENCES = 5;

/** `now`: milliseconds since the epoch. What goes on from here is told with the same connection. */
export function maintenanceCard(
  { globals, output }: Pick<Invocation, 'globals' | 'output'>,
  window: MaintenanceWindow,
  now: number,
): Card {
  const standing = windowStatus(window, now);
  const name = isZone(window.timezone) ? window.timezone : 'UTC';
  const own = { name, zone: zoneOf(name) };
  const next = take(occurrences(window, now), MAX_OCCURRENCES);
  return {
    title: { text: window.name, state: standing.state, aside: `maintenance window ${window.id}` },
    sections: [
      text(window.description ?? ''),
      facts([
        { label: 'State', value: formatState(standing, window, now) },
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
          line: `${commandLine({ globals }, 'maintenance', 'get', String(window.id), '-o', 'ical')} > window.ics`,
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

/** The zone of the machine's user. */
function localZone(): NamedZone {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name, zone: zoneOf(name) };
}

function formatState({ state, occurrence }: WindowStatus, window: MaintenanceWindow, now: number): string {
  if (state === 'active' && occurrence) return `active, ends ${relativeTime(occurrence.endsAt, now)}`;
  if (state === 'upcoming' && occurrence)
    return `not active, starts ${relativeTime(occurrence.startsAt, now)}`;
  const end = Date.parse(window.endsAt);
  return window.repeatUnit || Number.isNaN(end) ? 'over' : `over, ended ${relativeTime(end, now)}`;
}

/** When a window that is over was open first. */
const firstOccurrence = (window: MaintenanceWindow): readonly Occurrence[] =>
  take(occurrences(window, Number.NEGATIVE_INFINITY), 1);

/** A row a time that it is open, by its own clock; and by that of whoever reads it, where that shows another time. */
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
        value: ({ startsAt, endsAt }: Occurrence) => duration(endsAt - startsAt),
        priority: 60,
      },
    ],
    rows: its,
  });
}

/** `Sun 2026-11-22 02:00 to 04:00`; with the day of the end where it is another one, and its date where that is not the next. */
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

/** What a clock shows; the date as the instant at which it begins in UTC. */
function wallClockAt(instant: number, zone: Zone): { readonly date: number; readonly time: string } {
  const shown = instant + zone(instant);
  const date = Math.floor(shown / DAY) * DAY;
  return { date, time: new Date(shown).toISOString().slice(-13, -8) };
}

/** What of status pages it shows on, and what their readers are told. */
function statusPageFacts({ statusPageVisibility: shown }: MaintenanceWindow) {
  if (!shown?.enabled) return [{ label: 'Shown on', value: 'none' }];
  const told = [
    ...(shown.notifyOnStart ? ['at the start'] : []),
    ...(shown.notifyOnEnd ? ['at the end'] : []),
    ...(shown.reminderMinutesBefore ?? []).map((minutes) => `${duration(minutes * 60_000)} before`),
  ];
  return [
    { label: 'Shown on', value: shown.statusPageIds?.length ? shown.statusPageIds : 'status pages' },
    {
      label: 'Affects',
      value: shown.affectAllServices ? 'all services' : (shown.serviceIds ?? []),
      kind: 'list' as const,
    },
    { label: 'Severity', value: shown.severity },
    { label: 'Notifies subscribers', value: told.length > 0 ? told.join(', ') : 'never' },
    {
      label: 'Incidents',
      value: shown.suppressAutoIncidents ? 'suppressed for failing checks' : undefined,
    },
  ];
}

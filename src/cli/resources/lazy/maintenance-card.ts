/** A maintenance window as a card: how it stands, when it is open next, what it pauses and silences, and where it shows. */
import { type Occurrence, occurrences, take } from '../../../calendar/occurrences.ts';
import { isZone, type Zone, zoneOf } from '../../../calendar/zone.ts';
import { type Card, commands, facts, type Section, table, text } from '../../../terminal/card/card.ts';
import { formatDuration, formatRelativeTime } from '../../../terminal/index.ts';
import { commandLine } from '../../framework/command-line.ts';
import type { Invocation } from '../../framework/index.ts';
import {
  type MaintenanceWindow,
  pausesOf,
  repeatText,
  type Standing,
  silencesOf,
  standingOf,
} from '../maintenance-state.ts';

/** How many of the next times are told. */
const NEXT = 5;

/** `now`: milliseconds since the epoch. What goes on from here is told with the same connection. */
export function maintenanceCard(
  { globals, output }: Pick<Invocation, 'globals' | 'output'>,
  window: MaintenanceWindow,
  now: number,
): Card {
  const standing = standingOf(window, now);
  const name = isZone(window.timezone) ? window.timezone : 'UTC';
  const own = { name, zone: zoneOf(name) };
  const next = take(occurrences(window, now), NEXT);
  return {
    title: { text: window.name, state: standing.state, aside: `maintenance window ${window.id}` },
    sections: [
      text(window.description ?? ''),
      facts([
        { label: 'State', value: nowText(standing, window, now) },
        { label: 'Repeats', value: repeatText(window) ?? 'never' },
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
      times(next.length > 0 ? next : onlyTime(window), own, output.utc ? UTC : yours(), now),
      facts([
        { label: 'Pauses', value: pausesOf(window), kind: 'list' },
        { label: 'Silences', value: silencesOf(window), kind: 'list' },
        ...shownOn(window),
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
function yours(): NamedZone {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name, zone: zoneOf(name) };
}

function nowText({ state, occurrence }: Standing, window: MaintenanceWindow, now: number): string {
  if (state === 'active' && occurrence) return `active, ends ${formatRelativeTime(occurrence.endsAt, now)}`;
  if (state === 'upcoming' && occurrence)
    return `not active, starts ${formatRelativeTime(occurrence.startsAt, now)}`;
  const end = Date.parse(window.endsAt);
  return window.repeatUnit || Number.isNaN(end) ? 'over' : `over, ended ${formatRelativeTime(end, now)}`;
}

/** When a window that is over was open first. */
const onlyTime = (window: MaintenanceWindow): readonly Occurrence[] =>
  take(occurrences(window, Number.NEGATIVE_INFINITY), 1);

/** A row a time that it is open, by its own clock; and by that of whoever reads it, where that shows another time. */
function times(its: readonly Occurrence[], own: NamedZone, reader: NamedZone, now: number): Section {
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
        value: (each: Occurrence) => spanText(each, own.zone),
        priority: 100,
      },
      ...(differs
        ? [
            {
              key: 'yours',
              header: `for you, in ${reader.name}`,
              value: (each: Occurrence) => spanText(each, reader.zone),
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

/** `Sun 2026-11-22 02:00 to 04:00`; with the day of the end where it is another one, and its date where that is not the next. */
function spanText({ startsAt, endsAt }: Occurrence, zone: Zone): string {
  const [start, end] = [clockAt(startsAt, zone), clockAt(endsAt, zone)];
  const days = end.date - start.date;
  const day = days === 0 ? '' : days === DAY ? `${weekday(end.date)} ` : `${dateText(end.date)} `;
  return `${dateText(start.date)} ${start.time} to ${day}${end.time}`;
}

const DAY = 24 * 60 * 60 * 1000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const weekday = (date: number): string => DAYS[new Date(date).getUTCDay()] ?? '';
const dateText = (date: number): string => `${weekday(date)} ${new Date(date).toISOString().split('T')[0]}`;

/** What a clock shows; the date as the instant at which it begins in UTC. */
function clockAt(instant: number, zone: Zone): { readonly date: number; readonly time: string } {
  const shown = instant + zone(instant);
  const date = Math.floor(shown / DAY) * DAY;
  return { date, time: new Date(shown).toISOString().slice(-13, -8) };
}

/** What of status pages it shows on, and what their readers are told. */
function shownOn({ statusPageVisibility: shown }: MaintenanceWindow) {
  if (!shown?.enabled) return [{ label: 'Shown on', value: 'none' }];
  const told = [
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
    { label: 'Notifies subscribers', value: told.length > 0 ? told.join(', ') : 'never' },
    {
      label: 'Incidents',
      value: shown.suppressAutoIncidents ? 'suppressed for failing checks' : undefined,
    },
  ];
}

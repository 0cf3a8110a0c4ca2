/** Formats maintenance windows as an iCalendar file (RFC 5545). */
import { exceptionsOf, occurrences, take } from '../../../src/calendar/occurrences.ts';
import { isZone, wallTimeAt, type Zone, zoneOf } from '../../../src/calendar/zone.ts';
import type { MaintenanceWindow } from '../../../src/cli/resources/maintenance-state.ts';
import { toInstant } from '../../../src/terminal/index.ts';
import type { ZoneComponent } from './lazy/vtimezone.ts';

/** Frequencies by repeat unit. A deployment may have other units. */
const FREQUENCIES: ReadonlyMap<string, string> = new Map([
  ['DAY', 'DAILY'],
  ['WEEK', 'WEEKLY'],
  ['MONTH', 'MONTHLY'],
]);

/** Formats `20261121T080000Z`. */
const formatUtc = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** Formats the local time of a zone: `20261121T090000`. */
const formatLocal = (instant: number, zone: Zone): string => formatUtc(instant + zone(instant)).slice(0, -1);

/** The components of time zones of repeating windows, by zone name. */
type Zones = ReadonlyMap<string, ZoneComponent>;

/** Formats a time. A repeating window uses local time, so that 23:00 stays 23:00 in summer and winter. */
function timeLine(
  name: string,
  instant: number,
  { timezone = 'UTC' }: MaintenanceWindow,
  zones: Zones,
): string {
  const zone = zones.get(timezone);
  return zone
    ? `${name};TZID=${zone.id}:${formatLocal(instant, zoneOf(timezone))}`
    : `${name}:${formatUtc(instant)}`;
}

function ruleLine(window: MaintenanceWindow, start: number): string[] {
  const { repeatUnit, repeatInterval, repeatEndsAt, timezone } = window;
  const frequency = FREQUENCIES.get(repeatUnit ?? '');
  if (!frequency) return [];
  const until = repeatEndsAt ? toInstant(repeatEndsAt) : undefined;
  const { day } = wallTimeAt(start, zoneOf(timezone));
  const rule = [
    `FREQ=${frequency}`,
    ...(repeatInterval && repeatInterval > 1 ? [`INTERVAL=${repeatInterval}`] : []),
    ...(frequency === 'MONTHLY' ? monthDays(day) : []),
    ...(until === undefined ? [] : [`UNTIL=${formatUtc(until)}`]),
  ];
  return [`RRULE:${rule.join(';')}`];
}

/** Moves the 29th to 31st to the last day of a shorter month. The 31st avoids BYSETPOS, which some programs lack. */
function monthDays(day: number): readonly string[] {
  if (day === 31) return ['BYMONTHDAY=-1'];
  const days = Array.from({ length: Math.max(0, day - 27) }, (_, index) => 28 + index);
  return day > 28 ? [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'] : [];
}

const escapeText = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n]/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');

/** Folds a line after at most 75 octets, never within a character. Continuation lines begin with a space. */
function foldLine(line: string): string {
  let [text, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) [text, octets] = [`${text}\r\n `, 1];
    text += character;
    octets += size;
  }
  return `${text}\r\n`;
}

/** Returns the events of a window: the repeating one, and one for each moved repetition. */
function eventLines(window: MaintenanceWindow, now: number, zones: Zones): string[] {
  const [first] = take(occurrences(window, Number.NEGATIVE_INFINITY), 1);
  // A window without occurrences is no event.
  if (first === undefined) return [];
  const isRepeated = FREQUENCIES.has(window.repeatUnit ?? '');
  const start = isRepeated ? toInstant(window.startsAt) : first.startsAt;
  const end = isRepeated ? toInstant(window.endsAt) : first.endsAt;
  if (start === undefined || end === undefined) return [];
  const exceptions = [...(isRepeated ? exceptionsOf(window) : [])];
  const rule = [
    ...ruleLine(window, start),
    ...exceptions.flatMap(([at, moved]) => (moved === null ? [timeLine('EXDATE', at, window, zones)] : [])),
  ];
  const moved = exceptions.flatMap(([at, occurrence]) =>
    occurrence === null
      ? []
      : event(window, now, zones, occurrence.startsAt, occurrence.endsAt, [
          timeLine('RECURRENCE-ID', at, window, zones),
        ]),
  );
  return [...event(window, now, zones, start, end, rule), ...moved];
}

function event(
  window: MaintenanceWindow,
  now: number,
  zones: Zones,
  start: number,
  end: number,
  more: readonly string[],
): string[] {
  const changed = toInstant(window.updated_at ?? window.created_at) ?? now;
  return [
    'BEGIN:VEVENT',
    `UID:maintenance-window-${window.id}@sonde`,
    `DTSTAMP:${formatUtc(changed)}`,
    timeLine('DTSTART', start, window, zones),
    timeLine('DTEND', end, window, zones),
    ...more,
    `SUMMARY:${escapeText(window.name ?? String(window.id))}`,
    ...(window.description ? [`DESCRIPTION:${escapeText(window.description)}`] : []),
    ...(window.tags?.length ? [`CATEGORIES:${window.tags.map(escapeText).join(',')}`] : []),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** Loads the time zones of repeating windows. Unknown zones count as UTC. */
async function loadZones(windows: readonly MaintenanceWindow[]): Promise<Zones> {
  const names = new Set(
    windows.flatMap(({ repeatUnit, timezone = 'UTC' }) =>
      repeatUnit && timezone !== 'UTC' ? [timezone] : [],
    ),
  );
  if (names.size === 0) return new Map();
  const { zoneComponent } = await import('./lazy/vtimezone.ts');
  return new Map(
    [...names].flatMap((name) => {
      const component = isZone(name) ? zoneComponent(name) : undefined;
      return component ? [[name, component] as const] : [];
    }),
  );
}

/** Returns a calendar of the windows (RFC 5545). `now`: milliseconds since the epoch. */
export async function toCalendar(windows: readonly MaintenanceWindow[], now: number): Promise<string> {
  const zones = await loadZones(windows);
  const components = new Map([...zones.values()].map((zone) => [zone.id, zone.lines]));
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sonde//maintenance windows//EN',
    ...[...components.values()].flat(),
    ...windows.flatMap((window) => eventLines(window, now, zones)),
    'END:VCALENDAR',
  ]
    .map(foldLine)
    .join('');
}

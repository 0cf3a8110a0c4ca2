/** Maintenance windows as iCalendar text (RFC 5545), for calendars that people keep. */
import { occurrences, take } from '../../../src/calendar/occurrences.ts';
import { isZone, wallTimeAt, type Zone, zoneOf } from '../../../src/calendar/zone.ts';
import type { MaintenanceWindow } from '../../../src/cli/resources/maintenance-state.ts';
import { toInstant } from '../../../src/terminal/index.ts';
import type { ZoneComponent } from './lazy/vtimezone.ts';

/** By the unit of a repetition; a deployment may know others. */
const FREQUENCIES: ReadonlyMap<string, string> = new Map([
  ['DAY', 'DAILY'],
  ['WEEK', 'WEEKLY'],
  ['MONTH', 'MONTHLY'],
]);

/** `20261121T080000Z`. */
const utcStamp = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** What the clock of a zone shows, `20261121T090000`. */
const wallStamp = (instant: number, zone: Zone): string => utcStamp(instant + zone(instant)).slice(0, -1);

/** The components of the zones by whose clock windows repeat, by the name that a window has for its zone. */
type Zones = ReadonlyMap<string, ZoneComponent>;

/** A time: by the zone's own clock where the window repeats, so that 23:00 stays 23:00. */
function timeLine(
  name: string,
  instant: number,
  { timezone = 'UTC' }: MaintenanceWindow,
  zones: Zones,
): string {
  const zone = zones.get(timezone);
  return zone
    ? `${name};TZID=${zone.id}:${wallStamp(instant, zoneOf(timezone))}`
    : `${name}:${utcStamp(instant)}`;
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
    ...(until === undefined ? [] : [`UNTIL=${utcStamp(until)}`]),
  ];
  return [`RRULE:${rule.join(';')}`];
}

/** The 29th to 31st fall on the last day of a shorter month. Some programs know no BYSETPOS, and the 31st needs none. */
function monthDays(day: number): readonly string[] {
  if (day === 31) return ['BYMONTHDAY=-1'];
  const days = Array.from({ length: Math.max(0, day - 27) }, (_, index) => 28 + index);
  return day > 28 ? [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'] : [];
}

const escaped = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n]/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');

/** Lines of at most 75 octets, the rest on lines that begin with a space; no character is cut apart. */
function folded(line: string): string {
  let [text, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) [text, octets] = [`${text}\r\n `, 1];
    text += character;
    octets += size;
  }
  return `${text}\r\n`;
}

function eventLines(window: MaintenanceWindow, now: number, zones: Zones): string[] {
  const [start, end] = [toInstant(window.startsAt), toInstant(window.endsAt)];
  // One that is never open is no event.
  if (start === undefined || end === undefined || take(occurrences(window, start), 1).length === 0) return [];
  const changed = toInstant(window.updated_at ?? window.created_at) ?? now;
  return [
    'BEGIN:VEVENT',
    `UID:maintenance-window-${window.id}@sonde`,
    `DTSTAMP:${utcStamp(changed)}`,
    timeLine('DTSTART', start, window, zones),
    timeLine('DTEND', end, window, zones),
    ...ruleLine(window, start),
    `SUMMARY:${escaped(window.name)}`,
    ...(window.description ? [`DESCRIPTION:${escaped(window.description)}`] : []),
    ...(window.tags?.length ? [`CATEGORIES:${window.tags.map(escaped).join(',')}`] : []),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** The zones that a calendar of the windows names: those by whose clock one repeats. In a zone that nobody knows it is UTC. */
async function zonesOf(windows: readonly MaintenanceWindow[]): Promise<Zones> {
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

/** A calendar of the windows (RFC 5545). `now`: milliseconds since the epoch. */
export async function toCalendar(windows: readonly MaintenanceWindow[], now: number): Promise<string> {
  const zones = await zonesOf(windows);
  const components = new Map([...zones.values()].map((zone) => [zone.id, zone.lines]));
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sonde//maintenance windows//EN',
    ...[...components.values()].flat(),
    ...windows.flatMap((window) => eventLines(window, now, zones)),
    'END:VCALENDAR',
  ]
    .map(folded)
    .join('');
}

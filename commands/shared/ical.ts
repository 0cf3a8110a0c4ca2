/** Maintenance windows as iCalendar text (RFC 5545), for calendars that people keep. */
import { toInstant } from '../../src/terminal/index.ts';
import type { MaintenanceWindow } from './maintenance.ts';

const FREQUENCIES = { DAY: 'DAILY', WEEK: 'WEEKLY', MONTH: 'MONTHLY' } as const;

/** `20261121T080000Z`. */
const utcStamp = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** The wall clock of a time zone, `20261121T090000`; undefined for a zone that is none. */
function wallStamp(instant: number, timeZone: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    });
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const [date, time] = [
      ['year', 'month', 'day'],
      ['hour', 'minute', 'second'],
    ].map((names) => names.map((name) => parts.get(name as 'year') ?? '').join(''));
    return `${date}T${time}`;
  } catch {
    return undefined;
  }
}

/** A time: by the zone's own clock where the window repeats, so that 23:00 stays 23:00. */
function timeLine(name: string, instant: number, window: MaintenanceWindow): string {
  const { timezone = 'UTC', repeatUnit } = window;
  const wall = repeatUnit && timezone !== 'UTC' ? wallStamp(instant, timezone) : undefined;
  return wall === undefined ? `${name}:${utcStamp(instant)}` : `${name};TZID=${timezone}:${wall}`;
}

function ruleLine(window: MaintenanceWindow, start: number): string[] {
  const { repeatUnit, repeatInterval, repeatEndsAt, timezone = 'UTC' } = window;
  const frequency = repeatUnit ? FREQUENCIES[repeatUnit] : undefined;
  if (!frequency) return [];
  const until = repeatEndsAt ? toInstant(repeatEndsAt) : undefined;
  const day = Number((wallStamp(start, timezone) ?? utcStamp(start)).slice(6, 8));
  // The 31st falls on the last day of a shorter month.
  const days = Array.from({ length: Math.max(0, day - 27) }, (_, index) => 28 + index);
  const rule = [
    `FREQ=${frequency}`,
    ...(repeatInterval && repeatInterval > 1 ? [`INTERVAL=${repeatInterval}`] : []),
    ...(frequency === 'MONTHLY' && day > 28 ? [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'] : []),
    ...(until === undefined ? [] : [`UNTIL=${utcStamp(until)}`]),
  ];
  return [`RRULE:${rule.join(';')}`];
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

function eventLines(window: MaintenanceWindow, now: number): string[] {
  const [start, end] = [toInstant(window.startsAt), toInstant(window.endsAt)];
  if (start === undefined || end === undefined) return [];
  const changed = toInstant(window.updated_at ?? window.created_at) ?? now;
  return [
    'BEGIN:VEVENT',
    `UID:maintenance-window-${window.id}@sonde`,
    `DTSTAMP:${utcStamp(changed)}`,
    timeLine('DTSTART', start, window),
    timeLine('DTEND', end, window),
    ...ruleLine(window, start),
    `SUMMARY:${escaped(window.name)}`,
    ...(window.description ? [`DESCRIPTION:${escaped(window.description)}`] : []),
    ...(window.tags?.length ? [`CATEGORIES:${window.tags.map(escaped).join(',')}`] : []),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** A calendar of the windows. `now`: milliseconds since the epoch. */
export function toCalendar(windows: readonly MaintenanceWindow[], now: number): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//sonde//maintenance windows//EN',
    ...windows.flatMap((window) => eventLines(window, now)),
    'END:VCALENDAR',
  ]
    .map(folded)
    .join('');
}

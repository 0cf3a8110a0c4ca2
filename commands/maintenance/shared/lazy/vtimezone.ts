/** What calendars need to know of a time zone (VTIMEZONE of RFC 5545); loaded only where a calendar names one. */
import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';

export interface ZoneComponent {
  /** The zone's name today: an older one leads to it. */
  readonly id: string;
  /** Its lines. */
  readonly lines: readonly string[];
}

const known = new Set<string>([tzlib_get_timezones()].flat());

/** The component of a zone by its IANA name; undefined where the library knows none. */
export function zoneComponent(name: string): ZoneComponent | undefined {
  if (!known.has(name)) return undefined;
  const [text = '', line = ''] = [tzlib_get_ical_block(name)].flat();
  const id = /^TZID=(.+)$/.exec(line)?.[1];
  return id === undefined ? undefined : { id, lines: text.split('\r\n') };
}

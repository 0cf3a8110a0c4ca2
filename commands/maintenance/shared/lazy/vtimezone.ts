/** Finds the definitions of time zones for calendars (VTIMEZONE of RFC 5545). */
import { tzlib_get_ical_block, tzlib_get_timezones } from 'timezones-ical-library';

export interface ZoneComponent {
  /** The current name of the zone, also for an older alias. */
  readonly id: string;
  readonly lines: readonly string[];
}

const known = new Set<string>([tzlib_get_timezones()].flat());

/** Returns the component of a zone by its IANA name. Undefined: the library does not have it. */
export function zoneComponent(name: string): ZoneComponent | undefined {
  if (!known.has(name)) return undefined;
  const [text = '', line = ''] = [tzlib_get_ical_block(name)].flat();
  const id = /^TZID=(.+)$/.exec(line)?.[1];
  return id === undefined ? undefined : { id, lines: text.split('\r\n') };
}

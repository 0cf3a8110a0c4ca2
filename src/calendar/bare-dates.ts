/** Converts dates without a time to instants: a date means the whole day in its time zone, so an end includes that day. Pure. */
import { instantAt, type Zone } from './zone.ts';

/** `first`: the first instant of the day; `end`: the first instant after it; `last`: its last millisecond. */
export type DayEdge = 'first' | 'end' | 'last';

/** What a date means in each field of a maintenance window. */
export const WINDOW_EDGES: Readonly<Record<string, DayEdge>> = {
  startsAt: 'first',
  endsAt: 'end',
  repeatEndsAt: 'last',
};

export const isBareDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Returns an instant of a valid date in a time zone, in ms since the epoch. */
export function instantOfDate(date: string, edge: DayEdge, zone: Zone): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const midnight = instantAt({ year, month, day: edge === 'first' ? day : day + 1, time: 0 }, zone);
  return edge === 'last' ? midnight - 1 : midnight;
}

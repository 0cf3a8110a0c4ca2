/** Where on its grid a check runs, and what becomes of a tick that is due. Pure. */
import { createHash } from 'node:crypto';
import { lastRunAt, nextRunAt, pickOffset, type Schedule } from '../../calendar/grid.ts';

/** The schedule of a stored check. One that was kept without an offset has the same one every time: its id's. */
export function scheduleOf(check: {
  readonly id: string;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
}): Schedule {
  const { id, frequency, frequencyOffset } = check;
  return { frequency, frequencyOffset: frequencyOffset ?? pickOffset(frequency, chanceOf(id)) };
}

/** What becomes of a tick that was due: which one runs now, which were missed, which comes next. */
export interface Due {
  /** The tick that runs, less than a period late. */
  readonly tick: number;
  readonly next: number;
  /** Ticks that nobody was there for: they are recorded, never run in a burst. */
  readonly missed: { readonly first: number; readonly last: number; readonly ticks: number } | undefined;
}

/** `stored`: the tick that is due, at or before `now`. One off the grid (the schedule changed) runs by itself. */
export function dueOf(schedule: Schedule, stored: number, now: number): Due {
  const next = nextRunAt(schedule, now);
  const tick = lastRunAt(schedule, now);
  if (!isOnGrid(schedule, stored) || tick <= stored) return { tick: stored, next, missed: undefined };
  const period = next - tick;
  const ticks = (tick - stored) / period;
  return { tick, next, missed: { first: stored, last: tick - period, ticks } };
}

/** The tick to keep for a check that was changed: the stored one where it still is right, else the next. */
export function rescheduled(schedule: Schedule, stored: number | null, now: number): number {
  const next = nextRunAt(schedule, now);
  return stored !== null && stored <= next && isOnGrid(schedule, stored) ? stored : next;
}

function isOnGrid(schedule: Schedule, instant: number): boolean {
  return lastRunAt(schedule, instant) === instant;
}

function chanceOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
}

/** Where on its grid a check runs, and what becomes of a tick that is due. Pure. */
import { lastRunAt, nextRunAt, pickOffset, type Schedule, stepOf } from '../../../calendar/grid.ts';

/** A check, as far as it says when it runs. */
export interface Scheduled {
  readonly id: string;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  /** As it was written: with an offset where the user named one. */
  readonly body: object;
}

/**
 * The schedule of a stored check. A phase that the user named holds to the instant. Where none was named, checks are spread
 * within the step of the one that was picked, and at frequency 0, whose offset is no phase, over the period: by their id, so
 * that each check keeps its place.
 */
export function scheduleOf({ id, frequency, frequencyOffset, body }: Scheduled): Schedule {
  const [coarse, fine] = chancesOf(id);
  const schedule = { frequency, frequencyOffset: frequencyOffset ?? pickOffset(frequency, coarse) };
  const isNamed = frequency !== 0 && 'frequencyOffset' in body && typeof body.frequencyOffset === 'number';
  return isNamed ? schedule : { ...schedule, shift: Math.floor(fine * stepOf(schedule)) };
}

/** What becomes of a tick that was due: which one runs now, which were missed, which comes next. */
export interface Due {
  /** The tick that runs, less than a period late. */
  readonly tick: number;
  readonly next: number;
  /** Ticks that nobody was there for: they are recorded, never run in a burst. */
  readonly missed: Gap | undefined;
}

/** So many ticks in a row, the first and the last of them. */
export interface Gap {
  readonly first: number;
  readonly last: number;
  readonly ticks: number;
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

/** Two numbers in [0, 1) that are the id's own: computed for every tick of every check, and nobody's secret. */
const chancesOf = (id: string): readonly [number, number] => [
  chanceOf(`coarse ${id}`),
  chanceOf(`fine ${id}`),
];

/** FNV-1a, its last bits spread over all of them: ids that differ in one character lie far apart. */
function chanceOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

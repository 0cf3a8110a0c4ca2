/** Computes a check's schedule, and what happens to a due tick. Pure. */
import { lastRunAt, nextRunAt, phaseStep, pickOffset, type Schedule } from '../../../calendar/grid.ts';

/** The fields of a check that define its schedule. */
export interface ScheduledCheck {
  readonly id: string;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  /** The stored body, which has an offset if the user set one. */
  readonly body: object;
}

/**
 * Returns the schedule of a stored check. A user-defined phase is exact. Otherwise the check's ID spreads checks
 * within the phase step, or over the period at frequency 0, so that a check keeps its phase.
 */
export function scheduleOf({ id, frequency, frequencyOffset, body }: ScheduledCheck): Schedule {
  const [coarse, fine] = spreadOf(id);
  const schedule = { frequency, frequencyOffset: frequencyOffset ?? pickOffset(frequency, coarse) };
  const isNamed = frequency !== 0 && 'frequencyOffset' in body && typeof body.frequencyOffset === 'number';
  return isNamed ? schedule : { ...schedule, shift: Math.floor(fine * phaseStep(schedule)) };
}

/** Plan for a due tick. */
export interface TickPlan {
  /** The tick that runs, less than a period late. */
  readonly tick: number;
  readonly next: number;
  /** Ticks during downtime. They are recorded as missed, never run in a burst. */
  readonly missed: MissedRange | undefined;
}

/** A range of consecutive ticks. */
export interface MissedRange {
  readonly first: number;
  readonly last: number;
  readonly ticks: number;
}

/** Plans a due tick. `stored` is at or before `now`. A tick off the grid, after a schedule change, runs alone. */
export function planTick(schedule: Schedule, stored: number, now: number): TickPlan {
  const next = nextRunAt(schedule, now);
  const tick = lastRunAt(schedule, now);
  if (!isOnGrid(schedule, stored) || tick <= stored) return { tick: stored, next, missed: undefined };
  const period = next - tick;
  const ticks = (tick - stored) / period;
  return { tick, next, missed: { first: stored, last: tick - period, ticks } };
}

/** Returns the tick of a changed check: the stored one if it is still valid, else the next. */
export function nextTickOf(schedule: Schedule, stored: number | null, now: number): number {
  const next = nextRunAt(schedule, now);
  return stored !== null && stored <= next && isOnGrid(schedule, stored) ? stored : next;
}

function isOnGrid(schedule: Schedule, instant: number): boolean {
  return lastRunAt(schedule, instant) === instant;
}

/** Returns two numbers in [0, 1) derived from the ID. */
const spreadOf = (id: string): readonly [number, number] => [
  fractionOf(`coarse ${id}`),
  fractionOf(`fine ${id}`),
];

/** FNV-1a with a final mix, so that IDs that differ in one character are spread far apart. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

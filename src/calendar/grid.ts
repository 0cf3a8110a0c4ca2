/** The absolute grid that scheduled checks run on: pure arithmetic over milliseconds since the epoch. */

/** How often a check runs and at which phase of the grid (specification, frequencyOffset rules). */
export interface Schedule {
  /** Minutes between two runs; 0: every `frequencyOffset` seconds. */
  readonly frequency: number;
  /** Phase: steps of 6 s up to a frequency of 60, hours above; at frequency 0 the period itself, in seconds. */
  readonly frequencyOffset: number;
  /** Where nobody named a phase: ms within one of its steps, so that not all checks of a step run at one instant. */
  readonly shift?: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Steps of the phase of checks that run at least hourly. */
const STEP = 6 * SECOND;
/** Seconds between two runs where a check of frequency 0 names none (docs/gaps.md). */
const DEFAULT_SUB_MINUTE = 30;

/** Milliseconds from one tick to the next. */
export function periodOf({ frequency, frequencyOffset }: Schedule): number {
  return frequency === 0 ? frequencyOffset * SECOND : frequency * MINUTE;
}

/** The first tick strictly after `after`. */
export function nextRunAt(schedule: Schedule, after: number): number {
  return lastRunAt(schedule, after) + periodOf(schedule);
}

/** The last tick at or before `at`. */
export function lastRunAt(schedule: Schedule, at: number): number {
  const period = periodOf(schedule);
  const phase = phaseOf(schedule);
  return Math.floor((at - phase) / period) * period + phase;
}

/** How many ticks lie in (after, until]; 0 where `until` is not later than `after`. */
export function ticksBetween(schedule: Schedule, after: number, until: number): number {
  return Math.max(0, (lastRunAt(schedule, until) - lastRunAt(schedule, after)) / periodOf(schedule));
}

/** The largest offset that a frequency allows: the smallest is 1, or 10 at frequency 0. */
export function largestOffset(frequency: number): number {
  if (frequency === 0) return DEFAULT_SUB_MINUTE;
  return frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
}

/** An offset that spreads the load, from `chance` in [0, 1). */
export function pickOffset(frequency: number, chance: number): number {
  if (frequency === 0) return DEFAULT_SUB_MINUTE;
  return 1 + Math.floor(chance * largestOffset(frequency));
}

/** What a phase is counted in, in ms; at frequency 0, which has no phase, the whole period. */
export function stepOf({ frequency, frequencyOffset }: Schedule): number {
  if (frequency === 0) return frequencyOffset * SECOND;
  return frequency <= 60 ? STEP : HOUR;
}

function phaseOf(schedule: Schedule): number {
  const { frequency, frequencyOffset, shift = 0 } = schedule;
  return frequency === 0 ? shift : frequencyOffset * stepOf(schedule) + shift;
}

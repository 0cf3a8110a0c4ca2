/** Computes the grid of ticks that scheduled checks run on. Pure arithmetic over ms since the epoch. */

/** Frequency and phase of a check (specification, frequencyOffset rules). */
export interface Schedule {
  /** Minutes between two runs; 0: every `frequencyOffset` seconds. */
  readonly frequency: number;
  /** Phase in steps of 6 s up to a frequency of 60, and in hours above. At frequency 0 it is the period, in seconds. */
  readonly frequencyOffset: number;
  /** Offset within a phase step, in ms, that spreads checks without a user-defined phase. */
  readonly shift?: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Phase step of checks that run at least hourly. */
const PHASE_STEP = 6 * SECOND;
/** Seconds between two runs of a check with frequency 0 and no offset (docs/gaps.md). */
const DEFAULT_SECONDS = 30;

/** Returns the milliseconds between two ticks. */
export function periodOf({ frequency, frequencyOffset }: Schedule): number {
  return frequency === 0 ? frequencyOffset * SECOND : frequency * MINUTE;
}

/** Returns the first tick strictly after `after`. */
export function nextRunAt(schedule: Schedule, after: number): number {
  return lastRunAt(schedule, after) + periodOf(schedule);
}

/** Returns the last tick at or before `at`. */
export function lastRunAt(schedule: Schedule, at: number): number {
  const period = periodOf(schedule);
  const phase = phaseOf(schedule);
  return Math.floor((at - phase) / period) * period + phase;
}

/** Returns the largest offset that a frequency allows. The smallest is 1, or 10 at frequency 0. */
export function maxOffset(frequency: number): number {
  if (frequency === 0) return DEFAULT_SECONDS;
  return frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
}

/** Returns an offset that spreads the load, from `random` in [0, 1). */
export function pickOffset(frequency: number, random: number): number {
  if (frequency === 0) return DEFAULT_SECONDS;
  return 1 + Math.floor(random * maxOffset(frequency));
}

/** Returns the unit of the phase, in ms. At frequency 0, which has no phase, it is the whole period. */
export function phaseStep({ frequency, frequencyOffset }: Schedule): number {
  if (frequency === 0) return frequencyOffset * SECOND;
  return frequency <= 60 ? PHASE_STEP : HOUR;
}

function phaseOf(schedule: Schedule): number {
  const { frequency, frequencyOffset, shift = 0 } = schedule;
  return frequency === 0 ? shift : frequencyOffset * phaseStep(schedule) + shift;
}

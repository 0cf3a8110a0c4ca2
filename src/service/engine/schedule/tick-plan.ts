/** Computes a check's schedule, plans its due ticks, and stores its next tick. */

import type { Clock } from '../../../base/clock.ts';
import { lastRunAt, nextRunAt, phaseStep, pickOffset, type Schedule } from '../../../calendar/grid.ts';
import { isRunnable } from '../../../contract/check-type-facts.ts';
import type { EngineStore } from '../../store/engine/index.ts';

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

interface NextTick {
  readonly checkId: string;
  /** Whether the check is a heartbeat, which waits for pings instead of running. */
  readonly isPinged: boolean;
  /** In ms since the epoch; null: no tick. */
  readonly next: number | null;
}

/** Sets the next ticks of checks from their current schedules, in one transaction, and returns them. */
export async function setNextRuns(
  store: EngineStore,
  clock: Clock,
  checkIds: readonly string[],
): Promise<readonly NextTick[]> {
  const [only, ...others] = checkIds;
  if (only === undefined) return [];
  if (others.length === 0) return [await setNextRun(store, clock, only)];
  return store.atomically(async (data) => {
    const ticks: NextTick[] = [];
    for (const id of checkIds) ticks.push(await setNextRun(data, clock, id));
    return ticks;
  });
}

async function setNextRun(
  store: Pick<EngineStore, 'schedule'>,
  clock: Clock,
  checkId: string,
): Promise<NextTick> {
  for (;;) {
    const check = await store.schedule.check(checkId);
    if (check === undefined) return { checkId, isPinged: false, next: null };
    const isTicking = check.activated && isRunnable(check);
    const next = isTicking ? nextTickOf(scheduleOf(check), check.nextRunAt, clock.now()) : null;
    const isSet = next === check.nextRunAt || (await store.schedule.advance(checkId, check.nextRunAt, next));
    if (isSet) return { checkId, isPinged: !isRunnable(check), next };
  }
}

/** Sets the first tick of at most `limit` checks that have none, because a process ended early; returns how many. */
export function setFirstRuns(store: EngineStore, clock: Clock, limit: number): Promise<number> {
  return store.atomically(async (data) => {
    const checks = await data.schedule.unscheduled(limit);
    const now = clock.now();
    await data.schedule.setFirstTicks(
      checks.map((check) => ({ id: check.id, to: nextRunAt(scheduleOf(check), now) })),
    );
    return checks.length;
  });
}

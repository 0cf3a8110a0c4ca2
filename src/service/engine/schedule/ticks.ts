/** Claims ticks that are due or about to be: the session, what was missed and the next tick, in one transaction a batch. */
import { isPaused, type Windows, windowsOf } from '../../maintenance/index.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { MissedTicks } from '../../store/engine/schedule.ts';
import { tickKey } from '../../store/engine/sessions.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { PlannedSession } from '../sessions/plan.ts';
import { begin, type Subject, type Surroundings, subjectsOf } from '../sessions/start.ts';
import { dueOf, type Gap, scheduleOf } from './tick-plan.ts';

export interface Ticks {
  readonly planned: readonly PlannedSession<string>[];
  /** The first tick that was there to claim; null: there was none. */
  readonly first: number | null;
  /** Ticks that were recorded as missed. */
  readonly missed: number;
  /** True where there may be more that are due. */
  readonly isFull: boolean;
}

/** So many ticks are claimed in one transaction at most: where thousands are due after a restart, a commit costs more than they do. */
export const AT_ONCE = 256;

/** Which ticks are claimed. */
export interface Wanted {
  /** They come by then, in ms since the epoch; left out: they are due. */
  readonly until?: number;
  /** At most so many; left out: 256. */
  readonly most?: number;
}

/** Claims a batch of ticks and plans their sessions. One that is yet to come starts at its instant, and is judged as of then. */
export async function claimTicks(
  data: EngineData,
  surroundings: Surroundings,
  { until = surroundings.now, most = AT_ONCE }: Wanted = {},
): Promise<Ticks> {
  const { now } = surroundings;
  const due = await data.schedule.due(until, most);
  const ticks = (await subjectsOf(data, due)).flatMap((subject) => {
    const { nextRunAt } = subject.check;
    if (nextRunAt === null) return [];
    const startsAt = Math.max(now, nextRunAt);
    return [{ subject, startsAt, from: nextRunAt, ...dueOf(scheduleOf(subject.check), nextRunAt, startsAt) }];
  });
  const taken = await data.schedule.advanceAll(
    ticks.map(({ subject, from, next }) => ({ id: subject.check.id, from, to: next })),
  );
  // A clock that was set back must not run a tick twice.
  const had = await data.sessions.ticksWithSession(
    ticks.map(({ subject, tick }) => ({ checkId: subject.check.id, tick })),
  );
  const windows = new Map<string, Windows>();
  const starting: { subject: Subject; tick: number; startsAt: number }[] = [];
  const missed: MissedTicks[] = [];
  for (const { subject, tick, startsAt, missed: gap } of ticks) {
    const { check, settings, group } = subject;
    if (!taken.has(check.id) || !settings.activated) continue;
    if (gap !== undefined) missed.push(...(await missedIn(data, check, gap)));
    if (had.has(tickKey(check.id, tick))) continue;
    const known = windows.get(check.accountId) ?? (await windowsOf(data, check.accountId));
    windows.set(check.accountId, known);
    if (isPaused(known, { check, group }, startsAt)) continue;
    starting.push({ subject, tick, startsAt });
  }
  await data.schedule.recordMissed(missed);
  const planned = await begin(
    data,
    surroundings,
    starting.map(({ subject }) => subject),
    (place) => {
      const { tick = now, startsAt = now } = starting[place] ?? {};
      return { runSource: 'SCHEDULER', scheduledAt: tick, now: startsAt };
    },
  );
  const count = missed.reduce((sum, { ticks: some }) => sum + some, 0);
  const first = due[0]?.nextRunAt ?? null;
  return { planned, first, missed: count, isFull: due.length === most };
}

/** The ticks of a gap, but for those that had their session before the clock was set back. */
async function missedIn(data: EngineData, check: CheckRecord, gap: Gap): Promise<MissedTicks[]> {
  const { first, last, ticks } = gap;
  const period = ticks === 1 ? 1 : (last - first) / (ticks - 1);
  const ran = await data.sessions.ticksBetween(check.id, first, last);
  const ranges: { first: number; last: number }[] = [];
  let from = first;
  for (const tick of [...ran.filter((at) => (at - first) % period === 0), last + period]) {
    if (tick > from) ranges.push({ first: from, last: tick - period });
    from = tick + period;
  }
  return ranges.map((range) => ({
    ...{ accountId: check.accountId, checkId: check.id },
    ...{ ...range, ticks: (range.last - range.first) / period + 1 },
  }));
}

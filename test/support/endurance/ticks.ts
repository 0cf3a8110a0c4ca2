/** Accounts for every tick of the steady checks: each has one session or is recorded as missed, never both, never neither. */
import { nextRunAt } from '../../../src/calendar/grid.ts';
import { scheduleOf } from '../../../src/service/engine/schedule/tick-plan.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import type { Store } from '../../../src/service/store/index.ts';
import type { World } from './world.ts';

/** A tick near the edge of a window may fall on either side: it is claimed a little later than it is due. */
const EDGE_MS = 12_000;

export async function ticksWrong(store: Store, { steady, paused, pauses }: World) {
  const { schedule: schedules } = engineStore(store);
  const wrong: string[] = [];
  let [due, missed] = [0, 0];
  for (const { id, name } of steady) {
    const check = await schedules.check(id);
    if (check?.nextRunAt == null) {
      wrong.push(`check ${name} has no tick to come`);
      continue;
    }
    const rows = await store.db
      .selectFrom('check_sessions')
      .select(['scheduled_at', 'started_at'])
      .where('check_id', '=', id)
      .where('scheduled_at', 'is not', null)
      .execute();
    const ran = new Set<number>();
    for (const { scheduled_at: tick, started_at: at } of rows) {
      if (tick === null) continue;
      if (ran.has(tick)) wrong.push(`check ${name}: the tick at ${iso(tick)} has two sessions`);
      ran.add(tick);
      const inside = pauses.some(({ from, to }) => at > from + EDGE_MS && at < to - EDGE_MS);
      if (id === paused && inside)
        wrong.push(`check ${name} ran at ${iso(at)}, within its maintenance window`);
    }
    const gaps = await schedules.missedTicksOf(id);
    const schedule = scheduleOf(check);
    for (
      let tick = nextRunAt(schedule, check.createdAt);
      tick < check.nextRunAt;
      tick = nextRunAt(schedule, tick)
    ) {
      const isPaused =
        id === paused && pauses.some(({ from, to }) => tick > from - EDGE_MS && tick < to + EDGE_MS);
      const records = gaps.filter(({ first, last }) => first <= tick && tick <= last).length;
      due += 1;
      missed += records;
      const times = records + (ran.has(tick) ? 1 : 0);
      if (times === 1 || (isPaused && times === 0)) continue;
      wrong.push(
        `check ${name}: the tick at ${iso(tick)} has ${ran.has(tick) ? 'a' : 'no'} session and ${records} records of having been missed`,
      );
    }
  }
  return { due, missed, wrong };
}

const iso = (instant: number): string => new Date(instant).toISOString();

/** Accounts for a store that nobody serves any more: every tick has a session or is recorded as missed, never both. */
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { nextRunAt } from '../../../src/calendar/grid.ts';
import { scheduleOf } from '../../../src/service/schedule/due.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { openStore } from '../../../src/service/store/index.ts';

export interface Audit {
  readonly ticks: number;
  readonly missed: number;
  readonly sessions: number;
  readonly wrong: readonly string[];
}

const PAGE = 500;

export async function audit(file: string, checkIds: readonly string[]): Promise<Audit> {
  const store = await openStore({ path: file }, { clock: systemClock, random: systemRandom });
  try {
    const engine = engineStore(store);
    const wrong: string[] = [];
    let [ticks, missed, sessions] = [0, 0, 0];
    for (const checkId of checkIds) {
      const check = await engine.schedule.check(checkId);
      if (check?.nextRunAt == null) {
        wrong.push(`check ${checkId} has no tick to come`);
        continue;
      }
      const ran = new Set<number>();
      let after: string | undefined;
      do {
        const page = await engine.sessions.list({ accountId: check.accountId, checkId, limit: PAGE, after });
        for (const { scheduled_at, id, stopped_at } of page.rows) {
          sessions += 1;
          if (scheduled_at !== null) ran.add(scheduled_at);
          if (stopped_at === null) continue;
          const results = await engine.results.ofSessions([id]);
          if (!results.some(({ result_type }) => result_type === 'FINAL'))
            wrong.push(`session ${id} has no result`);
        }
        after = page.nextId ?? undefined;
      } while (after !== undefined);
      const gaps = await engine.schedule.missedOf(checkId);
      const schedule = scheduleOf(check);
      for (
        let tick = nextRunAt(schedule, check.createdAt);
        tick < check.nextRunAt;
        tick = nextRunAt(schedule, tick)
      ) {
        ticks += 1;
        const isMissed = gaps.some(({ first, last }) => first <= tick && tick <= last);
        if (isMissed) missed += 1;
        if (isMissed === ran.has(tick)) {
          const what = isMissed
            ? 'has a session and is recorded as missed'
            : 'has neither session nor record';
          wrong.push(`check ${checkId}: the tick at ${new Date(tick).toISOString()} ${what}`);
        }
      }
    }
    return { ticks, missed, sessions, wrong };
  } finally {
    await store.close();
  }
}

/** The rules of schedules over the real store: every frequency and offset, all locations, and a whole year. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { maxOffset, nextRunAt, periodOf } from '../../../../src/calendar/grid.ts';
import { LOCATIONS } from '../../../../src/contract/enumerations.ts';
import { claimTicks } from '../../../../src/service/engine/schedule/claim-ticks.ts';
import { scheduleOf } from '../../../../src/service/engine/schedule/tick-plan.ts';
import { LIMITS } from '../../../../src/service/engine/sessions/plan-session.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { createHarness, type Harness, START } from '../harness.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

const claimAt = (now: number) =>
  engineStore(at.store).atomically((data) =>
    claimTicks(data, {
      now,
      publicLocations: ['eu-west-1'],
      limits: LIMITS,
      uuid: () => systemRandom.uuid(),
    }),
  );

describe('a schedule', () => {
  it('follows the three rules of the specification for every frequency, at its smallest and its largest offset', async () => {
    for (const frequency of [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]) {
      for (const frequencyOffset of [frequency === 0 ? 10 : 1, maxOffset(frequency)]) {
        const id = await at.check({ frequency, frequencyOffset });
        const next = (await at.store.checks.get(at.accountId, id))?.nextRunAt ?? 0;
        const period = frequency === 0 ? frequencyOffset * 1000 : frequency * 60_000;
        expect(next - START).toBeGreaterThan(0);
        expect(next - START).toBeLessThanOrEqual(period);
        if (frequency > 0)
          expect(next % period).toBe((frequencyOffset * (frequency <= 60 ? 6000 : HOUR)) % period);
        const { planned } = await claimAt(next);
        const mine = planned.find(({ session }) => session.check_id === id);
        expect(mine?.session).toMatchObject({ scheduled_at: next, run_source: 'SCHEDULER' });
        expect((await at.store.checks.get(at.accountId, id))?.nextRunAt).toBe(next + period);
      }
    }
  });

  it('runs in all 22 locations at once, or in each in turn', async () => {
    const locations = [...LOCATIONS];
    expect(locations).toHaveLength(22);
    const parallel = await at.check({ frequency: 1, frequencyOffset: 1, locations, runParallel: true });
    const inTurn = await at.check({ frequency: 1, frequencyOffset: 1, locations });
    const turns: string[] = [];
    for (
      let tick = nextRunAt({ frequency: 1, frequencyOffset: 1 }, START), n = 0;
      n < 44;
      n += 1, tick += 60_000
    ) {
      const { planned } = await claimAt(tick);
      const ran = (id: string) =>
        planned.find(({ session }) => session.check_id === id)?.runs.map(({ location }) => location);
      expect(ran(parallel)).toEqual(locations);
      turns.push(...(ran(inTurn) ?? []));
    }
    expect(turns).toEqual([...locations, ...locations]);
  });
});

describe('a year', () => {
  it('has each tick once, at its instant, also over every change of clocks', async () => {
    const ids = await Promise.all(
      [
        { frequency: 1440, frequencyOffset: 3 },
        { frequency: 720, frequencyOffset: 12 },
        { frequency: 1440, frequencyOffset: undefined },
      ].map((schedule) => at.check(schedule)),
    );
    const seen = new Map(ids.map((id) => [id, [] as number[]]));
    const { schedule } = engineStore(at.store);
    for (;;) {
      const { tick } = await schedule.upcoming('public', 0);
      if (tick === null || tick > START + 365 * DAY) break;
      // Less than a period late, and later each day: that moves no tick.
      const { planned } = await claimAt(tick + (tick % (11 * HOUR)));
      for (const { session } of planned) seen.get(session.check_id)?.push(session.scheduled_at ?? 0);
    }
    for (const [id, ticks] of seen) {
      const check = await schedule.check(id);
      if (check === undefined) throw new Error('the check is gone');
      const own = scheduleOf(check);
      const expected = [];
      for (let tick = nextRunAt(own, START); tick <= (ticks.at(-1) ?? 0); tick = nextRunAt(own, tick))
        expected.push(tick);
      expect(ticks).toEqual(expected);
      expect(ticks.length).toBeGreaterThanOrEqual((365 * DAY) / periodOf(own) - 1);
      expect(new Set(ticks.map((tick) => tick % periodOf(own))).size).toBe(1);
      expect(await schedule.missedTicksOf(id)).toEqual([]);
    }
  });
});

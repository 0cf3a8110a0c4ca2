/**
 * Days of the engine on a clock of the test's own; the soak suite makes it a month. It is killed and
 * started again, its clock is set, checks fail and recover; in the end every tick is accounted for, though the raw results of
 * most are gone by then, and it holds no more than after the first days.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { nextRunAt } from '../../../src/calendar/grid.ts';
import { scheduleOf } from '../../../src/service/engine/schedule/tick-plan.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { slopeOf } from '../../support/endurance/samples.ts';
import { runs } from '../../support/sampled.ts';
import { BAD, createHarness, type Finding, SLOW, START } from './harness.ts';

const DAYS = runs(0.25, 30);
const SEED = 1;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** So that most of what ran is gone in the end. */
const KEEP_MS = (DAYS * DAY) / 4;
/** A hundred bytes of each session would be more in a day. */
const HEAP_KB_PER_DAY = 50;
const FEWEST_DAYS = 8;

/** What is held after a collection of garbage, in kilobytes. */
function heapKb(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed / 1024;
}

/** The same numbers every time for one seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

it(`accounts for every tick of ${DAYS * 24} hours (seed ${SEED})`, {
  timeout: 300_000 + DAYS * 60_000,
}, async () => {
  const at = await createHarness({ retentionMs: KEEP_MS });
  const next = chances(SEED);
  try {
    await at.engine.start();
    const checks: string[] = [];
    for (const frequency of [10, 15, 30, 60, 120, 180]) {
      const retryStrategy = { type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 2 };
      checks.push(await at.check({ name: `${frequency}`, frequency, frequencyOffset: 1, retryStrategy }));
    }
    const held: { at: number; value: number }[] = [];
    while (at.clock.now() < START + DAYS * DAY) {
      // A minute of the slope is a day.
      const day = Math.floor((at.clock.now() - START) / DAY);
      if (day > held.length) held.push({ at: day * MINUTE, value: heapKb() });
      at.target.attempts.length = 0;
      const findings: readonly Finding[] = [BAD, BAD, BAD, SLOW, {}];
      for (let n = next() * 8; n > 0; n -= 1)
        at.target.finds(findings[Math.floor(next() * findings.length)] ?? {});
      await at.clock.advance(next() * 3 * HOUR);
      const chance = next();
      if (chance < 0.25) {
        const killed = at.engine;
        await at.kill();
        await at.clock.run(killed.stop());
        if (chance < 0.12) await at.clock.advance(next() * 2 * HOUR);
        await at.engine.start();
      } else if (chance < 0.35) at.clock.step((next() - 0.5) * 2 * HOUR);
    }
    await at.clock.advance(20 * MINUTE);
    const grows = slopeOf(held.slice(Math.floor(held.length / 4)));
    if (held.length >= FEWEST_DAYS) expect(grows, 'kilobytes more each day').toBeLessThan(HEAP_KB_PER_DAY);
    console.log(`heap: ${grows.toFixed(1)} KB more each day`);

    const rows = engineStore(at.store);
    for (const checkId of checks) {
      const check = await rows.schedule.check(checkId);
      if (check?.nextRunAt == null) throw new Error('the check has no tick to come');
      const schedule = scheduleOf(check);
      const ticks = new Set<number>();
      for (let tick = nextRunAt(schedule, START); tick < check.nextRunAt; tick = nextRunAt(schedule, tick)) {
        ticks.add(tick);
      }
      const gaps = await rows.schedule.missedTicksOf(checkId);
      const missed = [...ticks].filter((tick) =>
        gaps.some(({ first, last }) => first <= tick && tick <= last),
      );
      expect(
        gaps.reduce((sum, gap) => sum + gap.ticks, 0),
        'no tick is recorded as missed twice',
      ).toBe(missed.length);

      const query = { accountId: at.accountId, checkId };
      const { entries } = await at.engine.results.rollUps({ ...query, period: 'DAY', limit: 100 });
      const ran = entries.reduce(
        (sum, { passed, degraded, failed, errors, cancelled }) =>
          sum + passed + degraded + failed + errors + cancelled,
        0,
      );
      expect(ran + missed.length, `ticks of the check every ${check.frequency} minutes`).toBe(ticks.size);
      const { rows: sessions } = await rows.sessions.list({ ...query, limit: 100_000 });
      expect(sessions.every(({ stopped_at }) => stopped_at !== null)).toBe(true);
      if (check.frequency <= 30) expect(sessions.length).toBeLessThan(ran / 2);
    }
    expect(at.errors.filter((error) => !/closed|destroyed|not open/i.test(JSON.stringify(error)))).toEqual(
      [],
    );
  } finally {
    await at.close();
  }
});

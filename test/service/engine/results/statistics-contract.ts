/** The statistics that pages show are those of all results, however many of them are rolled up, on any database. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CheckStatistics,
  readCheckStatistics,
} from '../../../../src/service/engine/results/check-statistics.ts';
import { completeStatistics, rollUpBatch } from '../../../../src/service/engine/retention/retention.ts';
import type { StoreLocation } from '../../../../src/service/store/index.ts';
import { DAY, HOUR, type ResultsWorld, resultsWorld, type Written } from './support.ts';

const START = Date.parse('2026-08-01T00:00:00Z');
const NOW = START + 5 * DAY + 7.5 * HOUR;

const written = fc.record({
  at: fc.integer({ min: 0, max: (5 * DAY + 7 * HOUR) / 1000 }).map((seconds) => START + seconds * 1000),
  location: fc.constantFrom('eu-west-1', 'us-east-1'),
  kind: fc.constantFrom('passed', 'passed', 'degraded', 'failed', 'errors', 'cancelled'),
  micros: fc.option(fc.integer({ min: 100, max: 5_000_000 })),
  type: fc.constantFrom('FINAL', 'FINAL', 'ATTEMPT'),
} as const);
const deeds = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: written.map((result) => ({ does: 'write' as const, result })) },
    {
      weight: 1,
      arbitrary: fc.nat(5 * 24 + 7).map((hour) => ({ does: 'roll up' as const, hour })),
    },
  ),
  { maxLength: 40 },
);

const isCounted = ({ type, kind }: Written) =>
  type !== 'ATTEMPT' && kind !== 'errors' && kind !== 'cancelled';

/** Returns the counts of each period with results, worked out from all results at once. */
function countsOf(results: readonly Written[], length: number, from: number) {
  const counts = new Map<number, [runs: number, failed: number, degraded: number]>();
  for (const { at, kind } of results.filter(isCounted)) {
    const start = Math.floor(at / length) * length;
    if (start < from) continue;
    const [runs, failed, degraded] = counts.get(start) ?? [0, 0, 0];
    counts.set(start, [runs + 1, failed + Number(kind === 'failed'), degraded + Number(kind === 'degraded')]);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

const shown = (periods: ReturnType<CheckStatistics['hours']>) =>
  periods
    .filter(({ runs }) => runs > 0)
    .map(({ at, runs, failed, degraded }) => [at, [runs, failed, degraded]]);

export function statisticsContract(place: () => Promise<StoreLocation>, runs: number): void {
  let at: ResultsWorld;
  beforeEach(async () => {
    at = await resultsWorld(await place(), START);
  });
  afterEach(() => at.close());

  const rollUp = async (before: number) => {
    while (await rollUpBatch(at.engine, before));
  };
  async function read(now = NOW): Promise<CheckStatistics> {
    const of = async (options = {}) =>
      (await readCheckStatistics(at.engine, [at.checkId], now, options)).get(at.checkId);
    const [statistics, withoutDays] = [await of({ hasDays: true }), await of()];
    if (statistics === undefined) throw new Error('no statistics');
    // The days only add a chart.
    expect(withoutDays?.availability).toEqual(statistics.availability);
    return statistics;
  }

  describe('statistics of a check', () => {
    it('count each result once, rolled up or not', async () => {
      const location = await place();
      await fc.assert(
        fc.asyncProperty(deeds, async (given) => {
          await at.store.checks.delete(at.accountId, at.checkId);
          await at.close();
          at = await resultsWorld(location, START);
          const results: Written[] = [];
          for (const deed of given) {
            if (deed.does === 'roll up') await rollUp(START + deed.hour * HOUR);
            else {
              results.push(deed.result);
              await at.write(deed.result);
            }
          }
          const firstHour = Math.floor(NOW / HOUR) * HOUR - 23 * HOUR;
          const { hours, days, availability } = await read();
          expect(shown(hours())).toEqual(countsOf(results, HOUR, firstHour));
          expect(shown(days())).toEqual(countsOf(results, DAY, 0));
          const ofDay = results.filter((result) => isCounted(result) && result.at >= firstHour);
          const failed = ofDay.filter(({ kind }) => kind === 'failed').length;
          expect(availability['24h']).toEqual(ofDay.length === 0 ? null : 1 - failed / ofDay.length);
        }),
        { numRuns: runs },
      );
    });

    it('have percentiles of the response times, within 1 % once they are rolled up', async () => {
      for (let index = 1; index <= 100; index += 1)
        await at.write({ at: START + index * 1000, micros: index * 10_000, location: `l-${index % 3}` });
      const fresh = await read(START + HOUR / 2);
      expect(fresh.times).toEqual({ p50: 500, p95: 950, p99: 990 });
      expect(fresh.hours().at(-1)).toMatchObject({ at: START, p50: 500, p95: 950 });
      await rollUp(START + HOUR);
      const { times, hours, days } = await read(START + HOUR);
      for (const period of [hours().at(-2), days().at(-1), times]) {
        expect(Math.abs((period?.p50 ?? 0) - 500)).toBeLessThan(5.1);
        expect(Math.abs((period?.p95 ?? 0) - 950)).toBeLessThan(9.6);
      }
    });

    it('forget response times after a day without results', async () => {
      await at.write({ at: START });
      await rollUp(START + HOUR);
      expect((await read(START + 23 * HOUR)).times).not.toBeNull();
      const later = await read(START + 25 * HOUR);
      expect(later.times).toBeNull();
      expect(later.availability).toEqual({ '24h': null, '7d': 1, '30d': 1, '90d': 1 });
    });

    it('leave out response times of more than a day ago that are not rolled up yet', async () => {
      await at.write({ at: START, micros: 5_000_000 });
      await at.write({ at: START + 48 * HOUR, micros: 100_000 });
      expect((await read(START + 48.5 * HOUR)).times).toEqual({ p50: 100, p95: 100, p99: 100 });
    });

    it('keep 90 days, also of a check that an earlier version rolled up', async () => {
      for (let day = 0; day < 100; day += 1)
        await at.write({ at: START + day * DAY, kind: day % 10 === 0 ? 'failed' : 'passed' });
      const now = START + 99.5 * DAY;
      await rollUp(now);
      const before = await read(now);
      expect(shown(before.days())).toHaveLength(90);
      expect(before.availability['90d']).toBeCloseTo(1 - 9 / 90);
      await at.store.db.deleteFrom('check_statistics').execute();
      expect((await read(now)).availability['90d']).toBeNull();
      expect(await completeStatistics(at.engine, now)).toBe(true);
      expect(await completeStatistics(at.engine, now)).toBe(false);
      const after = await read(now);
      expect(after.days()).toEqual(before.days());
      expect(after.hours()).toEqual(before.hours());
    });

    it('come back after a clock that was a year ahead', async () => {
      for (let day = 0; day < 5; day += 1) await at.write({ at: START + day * DAY });
      await rollUp(START + 5 * DAY);
      await at.write({ at: START + 365 * DAY });
      await rollUp(START + 366 * DAY);
      await at.write({ at: START + 5 * DAY });
      await rollUp(NOW);
      const { days, times, availability } = await read();
      expect(shown(days())).toHaveLength(6);
      expect(times).not.toBeNull();
      expect(availability).toEqual({ '24h': 1, '7d': 1, '30d': 1, '90d': 1 });
    });

    it('are deleted with their check', async () => {
      await at.write({ at: START });
      await rollUp(START + HOUR);
      await at.store.checks.delete(at.accountId, at.checkId);
      expect(await at.engine.statistics.byChecks([at.checkId])).toEqual(new Map());
    });
  });
}

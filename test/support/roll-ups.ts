/** Gives checks a past without running them: roll-ups as the service writes them, and their statistics. */
import { groupBy } from '../../src/base/object.ts';
import { engineStore } from '../../src/service/store/engine/index.ts';
import {
  aggregateResults,
  PERIOD_MS,
  PERIODS,
  periodStart,
} from '../../src/service/store/engine/rollup-periods.ts';
import type { Store } from '../../src/service/store/index.ts';

/** The results of a check over time. */
export interface Past {
  readonly accountId: string;
  readonly checkId: string;
  /** Ms: the time before which the past ends. */
  readonly now: number;
  readonly days: number;
  /** The typical response time in ms; null for checks that measure none. */
  readonly typicalMs: number | null;
  /** Returns how many of the ten results of an hour failed, by the number of hours before `now`. */
  readonly failed?: (hoursAgo: number) => number;
  /** Whether hours have no results at all. */
  readonly isGap?: (hoursAgo: number) => boolean;
}

const RUNS_PER_HOUR = 10;
const LOCATION = 'eu-west-1';

/** Returns the same response time for the same instant: slower in the afternoon, with rare outliers. */
function responseTime(typicalMs: number, at: number, run: number): number {
  const hour = at / PERIOD_MS.HOUR;
  const wave = 1 + 0.25 * Math.sin((hour / 24) * 2 * Math.PI) + 0.1 * Math.sin(hour * 1.7 + run);
  return Math.round(typicalMs * 1000 * wave * (run === 9 ? 2.2 : 1));
}

export async function writePast(store: Store, past: Past): Promise<void> {
  const { accountId, checkId, now, days, typicalMs, failed = () => 0, isGap = () => false } = past;
  const end = periodStart('HOUR', now);
  const results = Array.from({ length: days * 24 }, (_, index) => index + 1).flatMap((hoursAgo) => {
    const at = end - hoursAgo * PERIOD_MS.HOUR;
    if (isGap(hoursAgo)) return [];
    return Array.from({ length: RUNS_PER_HOUR }, (_, run) => {
      const isFailure = run < failed(hoursAgo);
      return {
        at,
        ...{ has_failures: Number(isFailure), has_errors: 0, is_degraded: 0, is_cancelled: 0 },
        response_time_us: typicalMs === null || isFailure ? null : responseTime(typicalMs, at, run),
      };
    });
  });
  const rows = PERIODS.flatMap((period) => {
    const groups = groupBy(results, ({ at }) => periodStart(period, at));
    return [...groups].map(([starts_at, group]) => {
      const { times, ...counts } = aggregateResults(group);
      return {
        ...{ account_id: accountId, check_id: checkId, period, starts_at, location: LOCATION, ...counts },
        times: JSON.stringify(times),
      };
    });
  });
  await store.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += 500)
      await tx.db
        .insertInto('result_rollups')
        .values(rows.slice(from, from + 500))
        .execute();
  });
  await engineStore(store).atomically(({ statistics }) =>
    statistics.refresh([{ accountId, checkId, from: end - PERIOD_MS.HOUR }], now),
  );
}

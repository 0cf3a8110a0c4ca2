/** Fills a store with checks that have a year of roll-ups and a current hour of results, by SQL alone. */
import { sql } from 'kysely';
import { engineStore } from '../../src/service/store/engine/index.ts';
import { aggregateResults, PERIOD_MS, periodStart } from '../../src/service/store/engine/rollup-periods.ts';
import type { Store } from '../../src/service/store/index.ts';

/** Number of different histograms: realistic ones, which the rows repeat. */
const SAMPLES = 64;
const RUNS_PER_HOUR = 6;
const SAMPLE_TABLE = sql.table('bench_samples');

function makeTimes(runs: number, seed: number): string {
  const results = Array.from({ length: runs }, (_, run) => ({
    ...{ has_failures: 0, has_errors: 0, is_degraded: 0, is_cancelled: 0 },
    response_time_us: Math.round(
      200_000 * (1 + 0.4 * Math.sin(seed * 7 + run * 1.3) + (run % 20 === 19 ? 1.5 : 0)),
    ),
  }));
  return JSON.stringify(aggregateResults(results).times);
}

/** The numbers from 0 to below `length`. */
const numbers = (length: number) =>
  sql`(with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ${sql.lit(length)}) select i from n)`;

/** Gives all checks of an account `days` of roll-ups before `now`, and results of the current hour. */
export async function fillPast(store: Store, accountId: string, now: number, days: number): Promise<void> {
  const { db } = store;
  await sql`create table ${SAMPLE_TABLE} (id integer primary key, hour text, day text)`.execute(db);
  for (let id = 0; id < SAMPLES; id += 1)
    await sql`insert into ${SAMPLE_TABLE} values (${id}, ${makeTimes(RUNS_PER_HOUR, id)}, ${makeTimes(24 * RUNS_PER_HOUR, id)})`.execute(
      db,
    );
  for (const [period, column, runs, periods] of [
    ['HOUR', sql.ref('hour'), RUNS_PER_HOUR, days * 24],
    ['DAY', sql.ref('day'), 24 * RUNS_PER_HOUR, days],
  ] as const) {
    const last = periodStart(period, now) - (period === 'HOUR' ? PERIOD_MS.HOUR : 0);
    const length = sql.lit(PERIOD_MS[period]);
    await sql`insert into result_rollups (account_id, check_id, period, starts_at, location, passed, degraded, failed, errors, cancelled, times)
      select ${accountId}, checks.id, ${period}, ${sql.lit(last)} - ago.i * ${length}, 'eu-west-1',
        ${sql.lit(runs)} - (ago.i % 97 = 3), 0, ago.i % 97 = 3, 0, 0, ${column}
      from checks cross join ${numbers(periods)} as ago
      join ${SAMPLE_TABLE} on ${SAMPLE_TABLE}.id = (checks.rowid * 31 + ago.i * 7) % ${sql.lit(SAMPLES)}`.execute(
      db,
    );
  }
  const hour = periodStart('HOUR', now);
  await sql`insert into check_sessions (id, account_id, check_id, check_name, check_type, status, run_source, locations, started_at, stopped_at)
    select 'bench-' || id, account_id, id, name, type, 'PASSED', 'SCHEDULER', '["eu-west-1"]', ${sql.lit(hour)}, ${sql.lit(hour + 1000)} from checks`.execute(
    db,
  );
  await sql`insert into results (id, account_id, check_id, session_id, check_name, check_type, location, check_run_id, sequence_id, attempt, result_type,
      has_failures, has_errors, is_degraded, over_max_response_time, is_cancelled, aborted, started_at, stopped_at, created_at, response_time_us, errors, details, error_group_ids)
    select id || '-' || run.i, account_id, id, 'bench-' || id, name, type, 'eu-west-1', run.i, id || '-' || run.i, 0, 'FINAL',
      0, 0, 0, 0, 0, 0, ${sql.lit(hour)} + run.i * 60000, ${sql.lit(hour + 1000)}, ${sql.lit(hour + 1000)}, 200000 + run.i * 1000, '[]',
      ${JSON.stringify({ response: { body: 'x'.repeat(6000) } })}, '[]'
    from checks cross join ${numbers(RUNS_PER_HOUR)} as run`.execute(db);
  await sql`drop table ${SAMPLE_TABLE}`.execute(db);
  const engine = engineStore(store);
  for (;;) {
    const missing = await engine.statistics.missing(50);
    if (missing.length === 0) return;
    await engine.atomically((data) => data.statistics.refresh(missing, now));
  }
}

/** Stores the tests of the results of Playwright suites: title, outcome and duration, and nothing else of the result. */
import type { Insertable } from 'kysely';
import type { TestOutcome } from '../../../contract/analytics-metrics.ts';
import type { StoreContext } from '../context.ts';
import type { SuiteRunRow } from '../tables/engine.ts';

export type NewSuiteRun = Insertable<SuiteRunRow>;

/** Title, outcome, and duration in ms. */
export type StoredTest = readonly [title: string, outcome: TestOutcome, durationMs: number];

/** The tests of a result. */
export interface SuiteRun {
  readonly resultId: string;
  readonly location: string;
  /** Ms since the epoch. */
  readonly startedAt: number;
  readonly tests: readonly StoredTest[];
}

export interface SuiteRunFilter {
  readonly accountId: string;
  readonly checkId: string;
  /** Selects results that started in [from, to); ms since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
}

export function suiteRuns({ db }: StoreContext) {
  return {
    async insert(rows: readonly NewSuiteRun[]): Promise<void> {
      if (rows.length > 0) await db.insertInto('suite_runs').values(rows).execute();
    },
    /** Returns the latest results that match, oldest first. */
    async latest({ accountId, checkId, from, to, limit }: SuiteRunFilter): Promise<SuiteRun[]> {
      let query = db
        .selectFrom('suite_runs')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('check_id', '=', checkId);
      if (from !== undefined) query = query.where('started_at', '>=', from);
      if (to !== undefined) query = query.where('started_at', '<', to);
      const rows = await query
        .orderBy('started_at', 'desc')
        .orderBy('result_id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map((row) => ({
        resultId: row.result_id,
        location: row.location,
        startedAt: row.started_at,
        tests: JSON.parse(row.tests) as StoredTest[],
      }));
    },
  };
}

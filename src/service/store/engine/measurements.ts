/** Reads what results measured: for analytics, and for the status of checks. */
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Executor, StoreContext } from '../context.ts';
import { isOneOf } from '../is-one-of.ts';

/** The path of a value in the details of a result. */
export type DetailPath = readonly [string, ...string[]];

/** Selects final results with a verdict, outside test sessions; instants in ms, `from` inclusive, `to` exclusive. */
export interface MeasurementFilter {
  readonly accountId: string;
  readonly checkId: string;
  readonly from: number;
  readonly to: number;
}

export interface Measurement {
  readonly startedAt: number;
  readonly location: string;
  readonly hasFailures: boolean;
  /** Number of preceding retries. */
  readonly retries: number;
  /** Ms; null: not measured. */
  readonly responseTime: number | null;
  /** The values at the paths, in their order; null: the result has none. */
  readonly values: readonly unknown[];
}

/** The last final result of a check. */
export interface LastResult {
  readonly checkId: string;
  readonly checkRunId: number;
  readonly location: string;
  readonly hasErrors: boolean;
  readonly createdAt: number;
  readonly values: readonly unknown[];
}

/** Response times in ms over the lifetime of a check. */
export interface ResponseTimeRange {
  readonly min: number;
  readonly max: number;
}

/** Rows per statement, so that the service does other work between two statements. */
const PAGE_SIZE = 1000;

const valueName = (index: number): string => `value_${index}`;

export function measurements(context: StoreContext) {
  const { db, dialect } = context;
  /** Selects the values at the paths as JSON. */
  const selectValues = (paths: readonly DetailPath[]) =>
    paths.map((path, index) =>
      (dialect === 'postgres'
        ? sql<string | null>`(details::json #> cast(${`{${path.join(',')}}`} as text[]))::text`
        : sql<string | null>`details -> ${`$.${path.join('.')}`}`
      ).as(valueName(index)),
    );
  const readValues = (row: object, paths: readonly DetailPath[]) =>
    paths.map((_, index) => {
      const json = (row as Readonly<Record<string, unknown>>)[valueName(index)];
      return typeof json === 'string' ? (JSON.parse(json) as unknown) : null;
    });
  const selectMatching = ({ accountId, checkId, from, to }: MeasurementFilter) =>
    withVerdict(db)
      .where('account_id', '=', accountId)
      .where('check_id', '=', checkId)
      .where('started_at', '>=', from)
      .where('started_at', '<', to);

  return {
    /** Counts the results that match, up to `limit`. */
    async count(filter: MeasurementFilter, limit: number): Promise<number> {
      const matching = selectMatching(filter).select(sql<number>`1`.as('one')).limit(limit);
      const query = db.selectFrom(matching.as('listed')).select((to) => to.fn.countAll<number>().as('count'));
      return Number((await query.executeTakeFirstOrThrow()).count);
    },
    /** Reads the results that match, oldest first. */
    async read(filter: MeasurementFilter, paths: readonly DetailPath[]): Promise<Measurement[]> {
      const found: Measurement[] = [];
      let after: { readonly startedAt: number; readonly id: string } | undefined;
      for (;;) {
        let query = selectMatching(filter)
          .select(['id', 'started_at', 'location', 'has_failures', 'attempt', 'response_time_us'])
          .select(selectValues(paths));
        if (after !== undefined) query = query.where(isAfter(after.startedAt, after.id));
        const rows = await query.orderBy('started_at').orderBy('id').limit(PAGE_SIZE).execute();
        for (const row of rows)
          found.push({
            startedAt: row.started_at,
            location: row.location,
            hasFailures: row.has_failures === 1,
            retries: row.attempt,
            responseTime: toMs(row.response_time_us),
            values: readValues(row, paths),
          });
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_SIZE) return found;
        after = { startedAt: last.started_at, id: last.id };
      }
    },
    /** Returns the last final results of checks; a check without results has none. */
    async last(checkIds: readonly string[], paths: readonly DetailPath[]): Promise<LastResult[]> {
      if (checkIds.length === 0) return [];
      const newest = db
        .selectFrom('checks')
        .where(isOneOf(context, 'checks.id', checkIds))
        .select((to) =>
          to
            .selectFrom('results as newest')
            .select('newest.id')
            .whereRef('newest.check_id', '=', 'checks.id')
            .where('newest.result_type', '=', 'FINAL')
            .where('newest.test_session_id', 'is', null)
            .orderBy('newest.started_at', 'desc')
            .orderBy('newest.id', 'desc')
            .limit(1)
            .as('id'),
        );
      const rows = await db
        .selectFrom('results')
        .select(['check_id', 'check_run_id', 'location', 'has_errors', 'created_at'])
        .select(selectValues(paths))
        .where('id', 'in', newest)
        .execute();
      return rows.map((row) => ({
        checkId: row.check_id ?? '',
        checkRunId: row.check_run_id,
        location: row.location,
        hasErrors: row.has_errors === 1,
        createdAt: row.created_at,
        values: readValues(row, paths),
      }));
    },
    /** Returns the shortest and longest response times of checks, ever; a check without any has none. */
    async responseTimeRanges(checkIds: readonly string[]): Promise<ReadonlyMap<string, ResponseTimeRange>> {
      if (checkIds.length === 0) return new Map();
      const field = (name: string) =>
        dialect === 'postgres'
          ? sql<number>`cast(times::json ->> ${name} as double precision)`
          : sql<number>`times ->> ${`$.${name}`}`;
      const stored = db
        .selectFrom('result_rollups')
        .select(['check_id', sql<number>`min(${field('least')})`.as('least')])
        .select(sql<number>`max(${field('most')})`.as('most'))
        .where(isOneOf(context, 'check_id', checkIds))
        .where('period', '=', 'DAY')
        .where(sql<SqlBool>`${field('count')} > 0`)
        .groupBy('check_id');
      const pending = withVerdict(db)
        .select(['check_id', (to) => to.fn.min('response_time_us').as('least')])
        .select((to) => to.fn.max('response_time_us').as('most'))
        .where(isOneOf(context, 'check_id', checkIds))
        // A literal: SQLite uses the partial index only if the statement repeats its condition.
        .where(sql<SqlBool>`rolled_up = 0`)
        .where('response_time_us', 'is not', null)
        .groupBy('check_id');
      const ranges = new Map<string, ResponseTimeRange>();
      for (const { check_id, least, most } of [...(await stored.execute()), ...(await pending.execute())]) {
        const known = ranges.get(check_id ?? '');
        const [min, max] = [Number(least) / 1000, Number(most) / 1000];
        ranges.set(check_id ?? '', {
          min: Math.min(min, known?.min ?? min),
          max: Math.max(max, known?.max ?? max),
        });
      }
      return ranges;
    },
  };
}

/** Monitor errors and cancelled results say nothing about the target. */
const withVerdict = (db: Executor) =>
  db
    .selectFrom('results')
    .where('result_type', '=', 'FINAL')
    .where('test_session_id', 'is', null)
    .where('has_errors', '=', 0)
    .where('is_cancelled', '=', 0);

const toMs = (micros: number | null): number | null => (micros === null ? null : micros / 1000);

const isAfter = (startedAt: number, id: string): Expression<SqlBool> =>
  sql<SqlBool>`(started_at, id) > (${startedAt}, ${id})`;

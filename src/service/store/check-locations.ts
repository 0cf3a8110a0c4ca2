/** Stores the last final result of each check in each location: for metrics, certificate alerts, pages and reasons in alerts. */
import { type Selectable, sql } from 'kysely';
import type { CheckCertificate, CheckPhases } from '../../contract/measured-facts.ts';
import type { StoreContext } from './context.ts';
import { isOneOf } from './is-one-of.ts';
import { prepareStatement, splitIntoChunks } from './prepared-statements.ts';
import type { CheckLocationRow } from './tables/engine.ts';

/** Measurements of the last results of a check in a location. */
export interface LocationMeasurement {
  /** The last verdict; null if there were only monitor errors. */
  readonly status: 'passing' | 'degraded' | 'failing' | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  /** Milliseconds; null if not measured. */
  readonly responseTime: number | null;
  readonly phases: CheckPhases | null;
  /** The certificate that expires first, of those last presented. */
  readonly certificate: CheckCertificate | null;
  /** Number of results by verdict. Cancelled results do not count. */
  readonly counts: Readonly<Record<'passed' | 'degraded' | 'failed' | 'errors', number>>;
}

export interface CheckLocationRecord extends LocationMeasurement {
  readonly checkId: string;
  readonly accountId: string;
  readonly location: string;
  /** The result with the last verdict. Its retention may be over. */
  readonly resultId: string | null;
  /** The last result that passed. Its retention may be over. */
  readonly goodResultId: string | null;
}

type Row = Selectable<CheckLocationRow>;

/** The columns of a {@link LocationMeasurement}. */
export const MEASURED_COLUMNS = [
  'status',
  'started_at',
  'response_time_us',
  'phases',
  'certificate',
  'passed',
  'degraded',
  'failed',
  'errors',
] as const satisfies readonly (keyof Row)[];
export type MeasuredRow = Pick<Row, (typeof MEASURED_COLUMNS)[number]>;

export const measurementFrom = (row: MeasuredRow): LocationMeasurement => ({
  status: row.status as LocationMeasurement['status'],
  startedAt: row.started_at,
  responseTime: row.response_time_us === null ? null : row.response_time_us / 1000,
  phases: row.phases === null ? null : JSON.parse(row.phases),
  certificate: row.certificate === null ? null : JSON.parse(row.certificate),
  counts: { passed: row.passed, degraded: row.degraded, failed: row.failed, errors: row.errors },
});

const recordFrom = (row: Row): CheckLocationRecord => ({
  checkId: row.check_id,
  accountId: row.account_id,
  location: row.location,
  resultId: row.result_id,
  goodResultId: row.good_result_id,
  ...measurementFrom(row),
});

// A late report of an agent must not replace a newer result, unless the clock was set back since then.
const isNewer = (now: number) => sql`excluded.started_at is not null and (check_locations.started_at is null
  or excluded.started_at >= check_locations.started_at or check_locations.started_at > ${now})`;

const upsert = prepareStatement((db, now: number, rows: readonly Row[]) => {
  const newest = (column: keyof Row) =>
    sql<never>`case when ${isNewer(now)} then excluded.${sql.ref(column)}
      else check_locations.${sql.ref(column)} end`;
  const sum = (column: keyof Row) =>
    sql<never>`check_locations.${sql.ref(column)} + excluded.${sql.ref(column)}`;
  return db
    .insertInto('check_locations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['check_id', 'location']).doUpdateSet({
        status: newest('status'),
        result_id: newest('result_id'),
        started_at: newest('started_at'),
        response_time_us: newest('response_time_us'),
        phases: newest('phases'),
        // A result that failed before TLS says nothing about the certificate.
        certificate: sql<never>`case when ${isNewer(now)} and (excluded.certificate is not null
          or excluded.status <> 'failing') then excluded.certificate else check_locations.certificate end`,
        good_result_id: sql<never>`case when excluded.good_result_id is not null and ${isNewer(now)}
          then excluded.good_result_id else check_locations.good_result_id end`,
        passed: sum('passed'),
        degraded: sum('degraded'),
        failed: sum('failed'),
        errors: sum('errors'),
      }),
    );
});

export function checkLocations(context: StoreContext) {
  const { db } = context;
  return {
    /** Adds results: at most one row for each check and location, in the order of both, so that transactions do not block each other. */
    async record(now: number, rows: readonly Row[]): Promise<void> {
      for (const some of splitIntoChunks(rows)) await upsert(context, now, some);
    },
    /** Returns the rows of several checks, by check and location. */
    async ofChecks(ids: readonly string[]): Promise<CheckLocationRecord[]> {
      if (ids.length === 0) return [];
      const query = db
        .selectFrom('check_locations')
        .selectAll()
        .where(isOneOf(context, 'check_id', ids));
      return (await query.orderBy('check_id').orderBy('location').execute()).map(recordFrom);
    },
    /** Returns the rows that have a certificate, by check and location. */
    async withCertificate(): Promise<CheckLocationRecord[]> {
      const query = db.selectFrom('check_locations').selectAll().where('certificate', 'is not', null);
      return (await query.orderBy('check_id').orderBy('location').execute()).map(recordFrom);
    },
    /** Returns up to `limit` IDs of checks with rows, in their order, after an ID. */
    async checkIds(after: string, limit: number): Promise<string[]> {
      const query = db.selectFrom('check_locations').select('check_id').distinct();
      const rows = await query.where('check_id', '>', after).orderBy('check_id').limit(limit).execute();
      return rows.map(({ check_id }) => check_id);
    },
    async remove(checkId: string, locations: readonly string[]): Promise<void> {
      if (locations.length === 0) return;
      const query = db.deleteFrom('check_locations').where('check_id', '=', checkId);
      await query.where('location', 'in', locations).execute();
    },
  };
}

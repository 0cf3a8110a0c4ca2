/** Reads the verdict, the last ended session and the locations of many checks, for metrics. */
import { type RawBuilder, sql } from 'kysely';
import { isActiveCheck } from './active-check.ts';
import type { CheckStatus } from './check-lists.ts';
import {
  type LocationMeasurement,
  MEASURED_COLUMNS,
  type MeasuredRow,
  measurementFrom,
} from './check-locations.ts';
import type { DialectName, StoreContext } from './context.ts';
import { prepareSql } from './prepared-statements.ts';

/** The fields of a check in metrics. Times are ms since the epoch. */
export interface CheckActivity {
  readonly name: string;
  readonly type: string;
  /** Whether the check runs: neither it nor its group is deactivated. */
  readonly isActive: boolean;
  /** The verdict of its last finished session; null if none yet. */
  readonly status: CheckStatus | null;
  /** The last session that ended outside test sessions; null if there is none, or if its retention is over. */
  readonly lastEnded: { readonly startedAt: number; readonly stoppedAt: number } | null;
  /** Its last results, by the name of the location. */
  readonly locations: readonly (LocationMeasurement & { readonly location: string })[];
}

/** A check and its activity as JSON: it changes only with the activity, so that most of it need not be parsed. */
export interface CheckActivityText {
  readonly id: string;
  readonly text: string;
}

interface ActivityJson extends Omit<CheckActivity, 'isActive' | 'lastEnded' | 'locations'> {
  readonly active: number;
  readonly ended: readonly [number, number] | null;
  /** The values of `LOCATION_COLUMNS`. */
  readonly locations: readonly (readonly unknown[])[];
}

const LOCATION_COLUMNS = ['location', ...MEASURED_COLUMNS] as const;
type LocationRow = MeasuredRow & { readonly location: string };

const locationRow = (values: readonly unknown[]): LocationRow =>
  Object.fromEntries(LOCATION_COLUMNS.map((column, index) => [column, values[index]])) as LocationRow;

/** Parses the text of {@link CheckActivityText}. */
export function parseActivity(text: string): CheckActivity {
  const { active, ended, locations, ...fields } = JSON.parse(text) as ActivityJson;
  return {
    ...fields,
    isActive: active === 1,
    lastEnded: ended && { startedAt: ended[0], stoppedAt: ended[1] },
    locations: locations
      .map(locationRow)
      .map((row) => ({ location: row.location, ...measurementFrom(row) }))
      .sort((one, other) => (one.location < other.location ? -1 : 1)),
  };
}

// One lookup in the index of sessions by check and start; a join would let Postgres read all sessions.
const lastEnded = (value: RawBuilder<unknown>) => sql<number | null>`(
    select ${value} from check_sessions
    where check_id = listed.check_id and stopped_at is not null and test_session_id is null
    order by started_at desc, id desc limit 1
  )`;

/** Functions of each database that make JSON. SQLite forgets that the result of a subquery is JSON. */
const JSON_SQL = {
  sqlite: {
    array: sql.raw('json_array'),
    object: sql.raw('json_object'),
    group: sql.raw('json_group_array'),
    nested: (value: RawBuilder<unknown>) => sql`json(${value})`,
    text: (value: RawBuilder<unknown>) => value,
  },
  postgres: {
    array: sql.raw('json_build_array'),
    object: sql.raw('json_build_object'),
    group: sql.raw('json_agg'),
    nested: (value: RawBuilder<unknown>) => value,
    text: (value: RawBuilder<unknown>) => sql`cast(${value} as text)`,
  },
} as const;

function activityText(dialect: DialectName) {
  const { array, object, group, nested, text } = JSON_SQL[dialect];
  const locations = sql`(select ${group}(${array}(${sql.join(LOCATION_COLUMNS.map((column) => sql.ref(column)))}))
    from check_locations where check_locations.check_id = listed.check_id)`;
  const ended = lastEnded(sql`${array}(started_at, stopped_at)`);
  return text(sql`${object}('name', checks.name, 'type', checks.type, 'status', checks.status,
    'active', case when ${isActiveCheck('checks')} then 1 else 0 end,
    'ended', ${nested(ended)}, 'locations', coalesce(${nested(locations)}, ${array}()))`);
}

// Listing rows are narrow, and their index has this order: the statement neither reads nor sorts more than `limit` checks.
const selectActivity = (
  dialect: DialectName,
  where: RawBuilder<unknown>,
  limit: number,
) => sql<CheckActivityText>`
  select checks.id, ${activityText(dialect)} as text
  from (
    select check_id, account_id, created_at from check_listing ${where}
    order by account_id, created_at, check_id limit ${limit}
  ) as listed
  join checks on checks.id = listed.check_id
  order by listed.account_id, listed.created_at, listed.check_id`;

const prepareActivity = (dialect: DialectName) => ({
  ofAccount: prepareSql((accountId: string, limit: number) =>
    selectActivity(dialect, sql`where account_id = ${accountId}`, limit),
  ),
  ofAll: prepareSql((limit: number) => selectActivity(dialect, sql``, limit)),
});
const ACTIVITY = { sqlite: prepareActivity('sqlite'), postgres: prepareActivity('postgres') } as const;

const lastRuns = prepareSql(
  (checkIds: readonly string[]) => sql<{ readonly id: string; readonly startedAt: number | null }>`
  select listed.check_id as id, ${lastEnded(sql`started_at`)} as "startedAt"
  from check_listing as listed where listed.check_id in (${sql.join(checkIds)})`,
);

export function checkActivity(context: StoreContext) {
  const statements = ACTIVITY[context.dialect];
  return {
    /** Returns when the last ended session of each check started, outside test sessions. */
    async lastRuns(checkIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const rows = checkIds.length === 0 ? [] : await lastRuns(context, checkIds);
      return new Map(rows.flatMap(({ id, startedAt }) => (startedAt === null ? [] : [[id, startedAt]])));
    },
    /** Returns the oldest `limit` checks, of one account or of all, by account and age. */
    list: (limit: number, accountId?: string): Promise<CheckActivityText[]> =>
      accountId === undefined
        ? statements.ofAll(context, limit)
        : statements.ofAccount(context, accountId, limit),
    /** Counts the checks of one account or of all. */
    async count(accountId?: string): Promise<number> {
      const query = context.db
        .selectFrom('check_listing')
        .select(({ fn }) => fn.countAll<number>().as('checks'));
      const row = await (accountId === undefined
        ? query
        : query.where('account_id', '=', accountId)
      ).executeTakeFirstOrThrow();
      return Number(row.checks);
    },
  };
}

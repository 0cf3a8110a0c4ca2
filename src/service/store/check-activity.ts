/** Reads the verdict and the last ended session of many checks, for metrics. */
import { type RawBuilder, sql } from 'kysely';
import { isActiveCheck } from './active-check.ts';
import type { CheckStatus } from './check-lists.ts';
import type { StoreContext } from './context.ts';
import { prepareSql } from './prepared-statements.ts';

/** A check and its last session that ended outside test sessions. Instants are ms since the epoch. */
export interface CheckActivity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** 1 if the check runs: neither it nor its group is deactivated; otherwise 0. */
  readonly active: number;
  /** The verdict of its last finished session; null if none yet. */
  readonly status: CheckStatus | null;
  /** Null if no session has ended, or if its retention is over. */
  readonly startedAt: number | null;
  readonly stoppedAt: number | null;
}

// One lookup in the index of sessions by check and start; a join would let Postgres read all sessions.
const lastEnded = (column: 'started_at' | 'stopped_at') => sql<number | null>`(
    select ${sql.ref(column)} from check_sessions
    where check_id = listed.check_id and stopped_at is not null and test_session_id is null
    order by started_at desc, id desc limit 1
  )`;

// Listing rows are narrow, and their index has this order: the statement neither reads nor sorts more than `limit` checks.
const selectActivity = (where: RawBuilder<unknown>, limit: number) => sql<CheckActivity>`
  select checks.id, checks.name, checks.type, checks.status,
    case when ${isActiveCheck('checks')} then 1 else 0 end as active,
    ${lastEnded('started_at')} as "startedAt", ${lastEnded('stopped_at')} as "stoppedAt"
  from (
    select check_id, account_id, created_at from check_listing ${where}
    order by account_id, created_at, check_id limit ${limit}
  ) as listed
  join checks on checks.id = listed.check_id
  order by listed.account_id, listed.created_at, listed.check_id`;

const activityOfAccount = prepareSql((accountId: string, limit: number) =>
  selectActivity(sql`where account_id = ${accountId}`, limit),
);
const activityOfAll = prepareSql((limit: number) => selectActivity(sql``, limit));

const lastRuns = prepareSql(
  (checkIds: readonly string[]) => sql<{ readonly id: string; readonly startedAt: number | null }>`
  select listed.check_id as id, ${lastEnded('started_at')} as "startedAt"
  from check_listing as listed where listed.check_id in (${sql.join(checkIds)})`,
);

export function checkActivity(context: StoreContext) {
  return {
    /** Returns when the last ended session of each check started, outside test sessions. */
    async lastRuns(checkIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const rows = checkIds.length === 0 ? [] : await lastRuns(context, checkIds);
      return new Map(rows.flatMap(({ id, startedAt }) => (startedAt === null ? [] : [[id, startedAt]])));
    },
    /** Returns the oldest `limit` checks, of one account or of all, by account and age. */
    list: (limit: number, accountId?: string): Promise<CheckActivity[]> =>
      accountId === undefined ? activityOfAll(context, limit) : activityOfAccount(context, accountId, limit),
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

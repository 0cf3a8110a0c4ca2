/** Stores the test sessions' share of error groups: in which environments their runs failed with the error, and when. */
import { sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { splitIntoChunks } from '../prepared-statements.ts';
import type { TestSessionErrorRow } from '../tables/engine.ts';
import type { ErrorGroupRecord } from './error-groups.ts';

/** An error group as the test sessions have seen it: its times are those of their failures. */
export interface TestErrorGroupRecord extends ErrorGroupRecord {
  /** Sorted. */
  readonly environments: readonly string[];
  /** The project that the check belongs to; null: none. */
  readonly projectId: string | null;
}

interface ListTestErrorGroups {
  readonly limit: number;
  readonly offset: number;
  /** Lists only groups of the checks of this project. */
  readonly projectId?: string;
}

/** Merges rows of the same group and environment, in a fixed order, which avoids deadlocks between transactions. */
function mergeRows(rows: readonly TestSessionErrorRow[]): TestSessionErrorRow[] {
  const merged = new Map<string, TestSessionErrorRow>();
  for (const row of rows) {
    const key = `${row.group_id} ${row.environment}`;
    const known = merged.get(key) ?? row;
    const first_seen = Math.min(known.first_seen, row.first_seen);
    merged.set(key, { ...row, first_seen, last_seen: Math.max(known.last_seen, row.last_seen) });
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

export function testSessionErrors({ db }: StoreContext) {
  const selectGroups = (accountId: string) =>
    db
      .selectFrom('error_groups')
      .innerJoin('test_session_errors as error', 'error.group_id', 'error_groups.id')
      .where('error_groups.account_id', '=', accountId)
      .groupBy('error_groups.id')
      .selectAll('error_groups')
      .select(({ fn }) => [
        fn.min('error.first_seen').as('firstSeen'),
        fn.max('error.last_seen').as('lastSeen'),
      ]);

  /** Returns the checks of the account's projects. */
  const projectChecks = (accountId: string) =>
    db
      .selectFrom('project_resources as resource')
      .innerJoin('projects', 'projects.id', 'resource.project_id')
      .where('projects.account_id', '=', accountId)
      .where('resource.type', '=', 'check');

  async function withOrigins(
    accountId: string,
    rows: readonly (ErrorGroupRecord & { readonly firstSeen: number; readonly lastSeen: number })[],
  ): Promise<TestErrorGroupRecord[]> {
    if (rows.length === 0) return [];
    const named = await db
      .selectFrom('test_session_errors')
      .select(['group_id', 'environment'])
      .where(
        'group_id',
        'in',
        rows.map(({ id }) => id),
      )
      .where('environment', '<>', '')
      .orderBy('environment')
      .execute();
    const owned = await projectChecks(accountId)
      .select(['projects.id', 'resource.physical_id as checkId'])
      .where('resource.physical_id', 'in', [...new Set(rows.map((row) => row.check_id))])
      .execute();
    return rows.map(({ firstSeen, lastSeen, ...group }) => ({
      ...group,
      first_seen: firstSeen,
      last_seen: lastSeen,
      environments: named.filter(({ group_id }) => group_id === group.id).map((row) => row.environment),
      projectId: owned.find(({ checkId }) => checkId === group.check_id)?.id ?? null,
    }));
  }

  return {
    /** Adds failures of test sessions. `environment`: empty if the session names none. */
    async record(rows: readonly TestSessionErrorRow[]): Promise<void> {
      for (const some of splitIntoChunks(mergeRows(rows)))
        await db
          .insertInto('test_session_errors')
          .values(some)
          .onConflict((conflict) =>
            conflict.columns(['group_id', 'environment']).doUpdateSet({
              first_seen: sql<number>`case when excluded.first_seen < test_session_errors.first_seen then excluded.first_seen else test_session_errors.first_seen end`,
              last_seen: sql<number>`case when excluded.last_seen > test_session_errors.last_seen then excluded.last_seen else test_session_errors.last_seen end`,
            }),
          )
          .execute();
    },
    async get(accountId: string, id: string): Promise<TestErrorGroupRecord | undefined> {
      const rows = await selectGroups(accountId).where('error_groups.id', '=', id).execute();
      return (await withOrigins(accountId, rows))[0];
    },
    /** Lists the groups that test sessions have seen, last seen first. */
    async list(
      accountId: string,
      { limit, offset, projectId }: ListTestErrorGroups,
    ): Promise<TestErrorGroupRecord[]> {
      const all = selectGroups(accountId).orderBy('lastSeen', 'desc').orderBy('error_groups.id', 'desc');
      const query =
        projectId === undefined
          ? all
          : all.where(
              'error_groups.check_id',
              'in',
              projectChecks(accountId)
                .where('projects.id', '=', projectId)
                .select('resource.physical_id')
                .where('resource.physical_id', 'is not', null)
                .$narrowType<{ physical_id: string }>(),
            );
      return withOrigins(accountId, await query.limit(limit).offset(offset).execute());
    },
  };
}

/** Stores test sessions, and selects them by their metadata. */
import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { likePattern } from '../documents.ts';
import { type CursorPage, cursorAfter, cursorPage } from '../lists.ts';
import type { TestSessionRow } from '../tables/engine.ts';
import type { TestPartRecord } from './sessions.ts';

export type TestSessionRecord = Selectable<TestSessionRow>;

/** Selects test sessions. A list that is empty selects all. */
export interface TestSessionFilter {
  readonly accountId: string;
  /** Start times in ms: `from` inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly branches?: readonly string[] | undefined;
  /** Commit owners. */
  readonly users?: readonly string[] | undefined;
  /** Whether sessions without a commit owner are also selected. */
  readonly noUsers?: boolean | undefined;
  /** Part of the name or a text of the metadata, ignoring case. */
  readonly textSearch?: string | undefined;
  /** Error group of a result. */
  readonly errorGroupId?: string | null | undefined;
}

/** Names the texts of the metadata. */
export const METADATA_TEXTS = [
  'repoUrl',
  'commitId',
  'commitOwner',
  'commitMessage',
  'branchName',
  'environment',
] as const;

export function testSessions({ db, dialect }: StoreContext) {
  const metadata = (name: (typeof METADATA_TEXTS)[number]) =>
    dialect === 'postgres'
      ? sql<string | null>`(metadata::json ->> ${sql.lit(name)})`
      : sql<string | null>`(metadata ->> ${sql.lit(`$.${name}`)})`;

  function conditionsOf(filter: TestSessionFilter): RawBuilder<SqlBool>[] {
    const {
      from,
      to,
      statuses = [],
      branches = [],
      users = [],
      noUsers = false,
      textSearch,
      errorGroupId = null,
    } = filter;
    const owners = [
      ...(users.length > 0 ? [sql`${metadata('commitOwner')} in (${sql.join(users)})`] : []),
      ...(noUsers ? [sql`coalesce(${metadata('commitOwner')}, '') = ''`] : []),
    ];
    const pattern = sql`lower(${likePattern(textSearch ?? '')})`;
    const texts = [sql`name`, ...METADATA_TEXTS.map(metadata)];
    return [
      ...(from === undefined ? [] : [sql<SqlBool>`started_at >= ${from}`]),
      ...(to === undefined ? [] : [sql<SqlBool>`started_at < ${to}`]),
      ...(statuses.length === 0 ? [] : [sql<SqlBool>`status in (${sql.join(statuses)})`]),
      ...(branches.length === 0 ? [] : [sql<SqlBool>`${metadata('branchName')} in (${sql.join(branches)})`]),
      ...(owners.length === 0 ? [] : [sql<SqlBool>`(${sql.join(owners, sql` or `)})`]),
      ...(errorGroupId === null
        ? []
        : [
            sql<SqlBool>`exists (select 1 from results where results.test_session_id = test_sessions.id
              and results.error_group_ids like ${likePattern(JSON.stringify(errorGroupId))} escape '\\')`,
          ]),
      ...(textSearch === undefined
        ? []
        : [
            sql<SqlBool>`(${sql.join(
              texts.map((text) => sql`lower(${text}) like ${pattern} escape '\\'`),
              sql` or `,
            )})`,
          ]),
    ];
  }

  return {
    async insert(row: Insertable<TestSessionRow>): Promise<void> {
      await db.insertInto('test_sessions').values(row).execute();
    },
    get: (accountId: string, id: string): Promise<TestSessionRecord | undefined> =>
      db
        .selectFrom('test_sessions')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst(),
    /** Returns the environments of test sessions by ID, without those that name none. */
    async environments(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('test_sessions')
        .select(['id', metadata('environment').as('environment')])
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.flatMap(({ id, environment }) => (environment ? [[id, environment]] : [])));
    },
    /** Returns a test session in any account, for signed links. */
    find: (id: string): Promise<TestSessionRecord | undefined> =>
      db.selectFrom('test_sessions').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Reads a test session, and locks it until the transaction ends. */
    lock: (id: string): Promise<TestSessionRecord | undefined> =>
      db
        .updateTable('test_sessions')
        .set({ status: sql<string>`status` })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    async updateFrom(id: string, from: string, to: { status: string; stopped_at: number }): Promise<boolean> {
      const query = db.updateTable('test_sessions').set(to).where('id', '=', id).where('status', '=', from);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Returns the sessions that belong to test sessions, oldest first. */
    sessionsOf: async (ids: readonly string[]): Promise<TestPartRecord[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('check_sessions')
            .select(['id', 'test_session_id', 'locations'])
            .where('test_session_id', 'in', ids)
            .orderBy('started_at')
            .orderBy('id')
            .execute(),
    /** Lists the recorded test sessions, newest first. @throws UnknownCursor */
    async list(
      filter: TestSessionFilter & { readonly limit: number; readonly after?: string | undefined },
    ): Promise<CursorPage<TestSessionRecord>> {
      let query = db
        .selectFrom('test_sessions')
        .selectAll()
        .where('account_id', '=', filter.accountId)
        .where('is_recorded', '=', 1);
      for (const condition of conditionsOf(filter)) query = query.where(condition);
      if (filter.after !== undefined) query = query.where(cursorAfter(filter.after, 'started_at'));
      const rows = await query
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(filter.limit + 1)
        .execute();
      return cursorPage(rows, filter.limit, 'started_at');
    },
  };
}

/** Stores results, and which files belong to them. The files themselves are outside the database. */
import { type Insertable, type NotNull, type Selectable, sql } from 'kysely';
import type { Executor, StoreContext } from '../context.ts';
import { cursorAfter, cursorPage, type Listing, type RowSize, readInChunks } from '../lists.ts';
import { prepareStatement, splitIntoChunks } from '../prepared-statements.ts';
import type { ArtifactRow, ResultRow } from '../tables/engine.ts';

/** A result of a stored check (`ResultRecord<string>`), or of a test suite without one (`null`). */
export type ResultRecord<CheckId extends string | null = string | null> = Omit<
  Selectable<ResultRow>,
  'check_id'
> & { check_id: CheckId };
export type NewResult = Omit<Insertable<ResultRow>, 'rolled_up'>;

/** Selects results of a check; instants in ms, `from` inclusive, `to` exclusive. */
export interface ResultFilter {
  readonly accountId: string;
  readonly checkId: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly location?: string | undefined;
  readonly checkType?: string | undefined;
  readonly hasFailures?: boolean | undefined;
  readonly resultType: 'FINAL' | 'ATTEMPT' | 'ALL';
  readonly limit: number;
}

const OUTCOME = [
  'id',
  'session_id',
  'check_id',
  'check_name',
  'check_type',
  'location',
  'result_type',
  'has_errors',
  'has_failures',
  'is_degraded',
  'is_cancelled',
  'aborted',
  'started_at',
  'stopped_at',
  'response_time_us',
] as const;
/** The outcome of a result, as a session shows it. */
export type ResultOutcome = Pick<ResultRecord, (typeof OUTCOME)[number]>;

/** The columns of a result in a list of test sessions. */
const LISTED = [...OUTCOME, 'test_session_id', 'sequence_id', 'errors', 'error_group_ids'] as const;
export type ListedResult = Pick<ResultRecord, (typeof LISTED)[number]>;

/** All columns except the large ones. */
const SMALL = [
  ...OUTCOME,
  'account_id',
  'test_session_id',
  'check_run_id',
  'sequence_id',
  'attempt',
  'over_max_response_time',
  'created_at',
  'error_group_ids',
  'rolled_up',
] as const;

type RecentOutcome = Pick<ResultRecord, 'response_time_us' | 'has_errors' | 'has_failures' | 'is_degraded'>;

/** Maximum bytes of errors and details that a list loads; the first result is always loaded. */
const PAGE_BYTES = 8 * 1024 * 1024;
const OMITTED = JSON.stringify([
  'The errors and details of this result are not in this list, which would be too large. Request it with a smaller limit.',
]);

/** Returns how many of the first results fit into one response. */
function countFitting(sizes: readonly RowSize<string>[]): number {
  let bytes = 0;
  const beyond = sizes.findIndex((result, place) => {
    bytes += Number(result.bytes);
    return place > 0 && bytes > PAGE_BYTES;
  });
  return beyond < 0 ? sizes.length : beyond;
}

const inOrder = (db: Executor) =>
  db.selectFrom('results').orderBy('created_at').orderBy('check_run_id').orderBy('attempt');

const selectOutcomes = prepareStatement((db, sessionId: string) =>
  inOrder(db).select(OUTCOME).where('session_id', '=', sessionId),
);

const insertResults = prepareStatement((db, rows: readonly Insertable<ResultRow>[]) =>
  db.insertInto('results').values(rows),
);

export function results(context: StoreContext) {
  const { db } = context;
  function selectMatching(filter: ResultFilter) {
    let query = db
      .selectFrom('results')
      .where('account_id', '=', filter.accountId)
      .where('check_id', '=', filter.checkId)
      .where('test_session_id', 'is', null);
    const { from, to, location, checkType, hasFailures, resultType } = filter;
    if (from !== undefined) query = query.where('started_at', '>=', from);
    if (to !== undefined) query = query.where('started_at', '<', to);
    if (location !== undefined) query = query.where('location', '=', location);
    if (checkType !== undefined) query = query.where('check_type', '=', checkType);
    if (hasFailures !== undefined) query = query.where('has_failures', '=', hasFailures ? 1 : 0);
    if (resultType !== 'ALL') query = query.where('result_type', '=', resultType);
    return query.orderBy('started_at', 'desc').orderBy('id', 'desc');
  }
  const selectSizes = (filter: ResultFilter) =>
    selectMatching(filter).select([
      'id',
      'started_at',
      sql<number>`octet_length(errors) + octet_length(details)`.as('bytes'),
    ]);
  /** Selects results of stored checks by ID, in list order. */
  const selectByIds = (ids: readonly string[]) =>
    db.selectFrom('results').where('id', 'in', ids).orderBy('started_at', 'desc').orderBy('id', 'desc');
  const readWhole = (ids: readonly string[]): Promise<ResultRecord<string>[]> =>
    selectByIds(ids).selectAll().$narrowType<{ check_id: NotNull }>().execute();
  async function readWithoutDetails(ids: readonly string[]): Promise<ResultRecord<string>[]> {
    if (ids.length === 0) return [];
    const rows = await selectByIds(ids).select(SMALL).$narrowType<{ check_id: NotNull }>().execute();
    return rows.map((row) => ({ ...row, errors: OMITTED, details: '{}' }));
  }

  return {
    async insert(rows: readonly NewResult[]): Promise<void> {
      // Results without a stored check have no roll-up.
      const marked = rows.map((row) => ({ ...row, rolled_up: Number(row.check_id === null) }));
      for (const some of splitIntoChunks(marked)) await insertResults(context, some);
    },
    /** Returns a result of a stored check. */
    get: (accountId: string, id: string): Promise<ResultRecord<string> | undefined> =>
      db
        .selectFrom('results')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('check_id', 'is not', null)
        .$narrowType<{ check_id: NotNull }>()
        .executeTakeFirst(),
    /** Returns a result in any account, for signed links. */
    find: (id: string): Promise<ResultRecord | undefined> =>
      db.selectFrom('results').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Returns the results of sessions in the order of creation. */
    ofSessions: async (ids: readonly string[]): Promise<ResultRecord[]> =>
      ids.length === 0 ? [] : inOrder(db).selectAll().where('session_id', 'in', ids).execute(),
    /** Returns the outcomes of a session's results in the order of creation, without errors and details. */
    outcomesOf: (sessionId: string): Promise<ResultOutcome[]> => selectOutcomes(context, sessionId),
    /** Returns the last final results of a check, newest first, without errors and details. */
    recent: (checkId: string, limit: number): Promise<RecentOutcome[]> =>
      db
        .selectFrom('results')
        .select(['response_time_us', 'has_errors', 'has_failures', 'is_degraded'])
        .where('check_id', '=', checkId)
        .where('result_type', '=', 'FINAL')
        .where('test_session_id', 'is', null)
        .where('is_cancelled', '=', 0)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Returns the outcomes of several sessions' results. */
    outcomesOfSessions: async (ids: readonly string[]): Promise<ResultOutcome[]> =>
      ids.length === 0 ? [] : inOrder(db).select(OUTCOME).where('session_id', 'in', ids).execute(),
    /** Returns the results of test sessions in the order of creation, without details. */
    listedOfTests: async (ids: readonly string[]): Promise<ListedResult[]> =>
      ids.length === 0 ? [] : inOrder(db).select(LISTED).where('test_session_id', 'in', ids).execute(),
    ofTests: async (ids: readonly string[]): Promise<ResultRecord[]> =>
      ids.length === 0 ? [] : inOrder(db).selectAll().where('test_session_id', 'in', ids).execute(),
    /** Returns a page of results, newest first, after `offset` results. Results beyond the size limit have no errors and details. */
    async list(filter: ResultFilter, offset: number): Promise<Listing<ResultRecord<string>>> {
      const sizes = await selectSizes(filter).limit(filter.limit).offset(offset).execute();
      const count = countFitting(sizes);
      async function* all() {
        yield* readInChunks(sizes.slice(0, count), readWhole);
        yield await readWithoutDetails(sizes.slice(count).map(({ id }) => id));
      }
      return { length: sizes.length, nextId: null, chunks: all() };
    },
    /** Returns a page of results, newest first, after a cursor; fewer than `limit` if they are large. @throws UnknownCursor */
    async page(filter: ResultFilter, after: string | undefined): Promise<Listing<ResultRecord<string>>> {
      const query =
        after === undefined
          ? selectSizes(filter)
          : selectSizes(filter).where(cursorAfter(after, 'started_at'));
      const sizes = await query.limit(filter.limit + 1).execute();
      const limit = Math.min(filter.limit, countFitting(sizes));
      const { rows, nextId } = cursorPage(sizes, limit, 'started_at');
      return { length: rows.length, nextId, chunks: readInChunks(rows, readWhole) };
    },
  };
}

export type ArtifactRecord = Selectable<ArtifactRow>;
export type NewArtifact = Insertable<ArtifactRow>;

export function artifacts({ db }: StoreContext) {
  return {
    async insert(rows: readonly NewArtifact[]): Promise<void> {
      if (rows.length > 0) await db.insertInto('artifacts').values(rows).execute();
    },
    get: (accountId: string, id: string): Promise<ArtifactRecord | undefined> =>
      db
        .selectFrom('artifacts')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst(),
    /** Returns an artifact of a result, in any account, for signed links. */
    ofResult: (resultId: string, id: string): Promise<ArtifactRecord | undefined> =>
      db
        .selectFrom('artifacts')
        .selectAll()
        .where('id', '=', id)
        .where('result_id', '=', resultId)
        .executeTakeFirst(),
    /** Returns the bytes of all artifacts. */
    async bytes(): Promise<number> {
      const query = db.selectFrom('artifacts').select((to) => to.fn.sum<number | null>('bytes').as('bytes'));
      return Number((await query.executeTakeFirstOrThrow()).bytes ?? 0);
    },
    /** Returns the artifacts of the oldest results. */
    oldest: (limit: number): Promise<Pick<ArtifactRecord, 'id' | 'bytes'>[]> =>
      db
        .selectFrom('artifacts')
        .innerJoin('results', 'results.id', 'artifacts.result_id')
        .select(['artifacts.id', 'artifacts.bytes'])
        .orderBy('results.created_at')
        .limit(limit)
        .execute(),
    async remove(id: string): Promise<void> {
      await db.deleteFrom('artifacts').where('id', '=', id).execute();
    },
    /** Returns the IDs, of those given, that still belong to a result. */
    async existing(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db.selectFrom('artifacts').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

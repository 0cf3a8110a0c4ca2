/** Results, and the error groups that their failures belong to. */
import { type Insertable, type NotNull, type Selectable, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { kept, portions } from '../kept.ts';
import type { ErrorGroupRow, ResultRow } from '../tables/engine.ts';
import { type Keyset, keysetAfter, keysetOf } from './keyset.ts';

/** `ResultRecord<string>`: of a stored check; with `null`, of none. */
export type ResultRecord<CheckId extends string | null = string | null> = Omit<
  Selectable<ResultRow>,
  'check_id'
> & { check_id: CheckId };
export type NewResult = Omit<Insertable<ResultRow>, 'rolled_up'>;
export type ErrorGroupRecord = Selectable<ErrorGroupRow>;

/** Which results of a check; instants in ms, `from` inclusive, `to` exclusive. */
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
  ...(['id', 'session_id', 'check_id', 'check_name', 'check_type', 'location', 'result_type'] as const),
  ...(['has_errors', 'has_failures', 'is_degraded', 'is_cancelled', 'aborted'] as const),
] as const;
/** What a session tells of a result. */
export type ResultOutcome = Pick<ResultRecord, (typeof OUTCOME)[number]>;

const outcomesOf = kept((db, sessionId: string) =>
  db
    .selectFrom('results')
    .select(OUTCOME)
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('check_run_id')
    .orderBy('attempt'),
);

const inserted = kept((db, rows: readonly Insertable<ResultRow>[]) => db.insertInto('results').values(rows));

export function results(context: StoreContext) {
  const { db } = context;
  function filtered(filter: ResultFilter) {
    const { from, to, location, checkType, hasFailures, resultType } = filter;
    let query = db
      .selectFrom('results')
      .selectAll()
      .where('account_id', '=', filter.accountId)
      .where('check_id', '=', filter.checkId)
      .where('test_session_id', 'is', null);
    if (from !== undefined) query = query.where('started_at', '>=', from);
    if (to !== undefined) query = query.where('started_at', '<', to);
    if (location !== undefined) query = query.where('location', '=', location);
    if (checkType !== undefined) query = query.where('check_type', '=', checkType);
    if (hasFailures !== undefined) query = query.where('has_failures', '=', hasFailures ? 1 : 0);
    if (resultType !== 'ALL') query = query.where('result_type', '=', resultType);
    return query.orderBy('started_at', 'desc').orderBy('id', 'desc').$narrowType<{ check_id: NotNull }>();
  }

  return {
    async insert(rows: readonly NewResult[]): Promise<void> {
      // Of no check there is nothing to roll up.
      const marked = rows.map((row) => ({ ...row, rolled_up: Number(row.check_id === null) }));
      for (const some of portions(marked)) await inserted(context, some);
    },
    /** One of a stored check. */
    get: (accountId: string, id: string): Promise<ResultRecord<string> | undefined> =>
      db
        .selectFrom('results')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('check_id', 'is not', null)
        .$narrowType<{ check_id: NotNull }>()
        .executeTakeFirst(),
    /** Of whichever account: for who opens it by a link. */
    find: (id: string): Promise<ResultRecord | undefined> =>
      db.selectFrom('results').selectAll().where('id', '=', id).executeTakeFirst(),
    /** The results of sessions in the order they came. */
    ofSessions: async (ids: readonly string[]): Promise<ResultRecord[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('results')
            .selectAll()
            .where('session_id', 'in', ids)
            .orderBy('created_at')
            .orderBy('check_run_id')
            .orderBy('attempt')
            .execute(),
    /** What the results of one session came to, in the order they came: without what they found. */
    outcomesOf: (sessionId: string): Promise<ResultOutcome[]> => outcomesOf(context, sessionId),
    ofTests: async (ids: readonly string[]): Promise<ResultRecord[]> =>
      ids.length === 0
        ? []
        : db
            .selectFrom('results')
            .selectAll()
            .where('test_session_id', 'in', ids)
            .orderBy('created_at')
            .orderBy('check_run_id')
            .orderBy('attempt')
            .execute(),
    /** The newest first; so many are skipped. */
    list: (filter: ResultFilter, offset: number): Promise<ResultRecord<string>[]> =>
      filtered(filter).limit(filter.limit).offset(offset).execute(),
    /** The newest first, after a cursor. @throws UnknownCursor */
    async page(filter: ResultFilter, after: string | undefined): Promise<Keyset<ResultRecord<string>>> {
      const query = after === undefined ? filtered(filter) : filtered(filter).where(keysetAfter(after));
      return keysetOf(await query.limit(filter.limit + 1).execute(), filter.limit);
    },
  };
}

/** A failure as it is grouped. */
export interface Failure {
  readonly accountId: string;
  readonly checkId: string;
  readonly hash: string;
  readonly raw: string;
  readonly cleaned: string;
  /** Ms since the epoch. */
  readonly seenAt: number;
}

export function errorGroups({ db, random }: StoreContext) {
  const owned = (accountId: string) =>
    db.selectFrom('error_groups').selectAll().where('account_id', '=', accountId);
  return {
    /** Adds a failure to its group, made where it is the first; takes it out of an archive until the next event. */
    async record({ accountId, checkId, hash, raw, cleaned, seenAt }: Failure): Promise<string> {
      const row = await db
        .insertInto('error_groups')
        .values({
          id: random.uuid(),
          account_id: accountId,
          check_id: checkId,
          error_hash: hash,
          raw_message: raw,
          cleaned_message: cleaned,
          first_seen: seenAt,
          last_seen: seenAt,
          archived_until_next_event: 0,
          archived_for_ever: 0,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['check_id', 'error_hash'])
            // A failure that is told of late must not make the group look older than it is.
            .doUpdateSet({
              first_seen: sql<number>`case when excluded.first_seen < error_groups.first_seen then excluded.first_seen else error_groups.first_seen end`,
              last_seen: sql<number>`case when excluded.last_seen > error_groups.last_seen then excluded.last_seen else error_groups.last_seen end`,
              archived_until_next_event: 0,
            }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },
    get: (accountId: string, id: string): Promise<ErrorGroupRecord | undefined> =>
      owned(accountId).where('id', '=', id).executeTakeFirst(),
    /** Last seen first. */
    list: (
      accountId: string,
      checkId: string,
      { limit, offset }: { readonly limit: number; readonly offset: number },
    ): Promise<ErrorGroupRecord[]> =>
      owned(accountId)
        .where('check_id', '=', checkId)
        .orderBy('last_seen', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    async archive(
      accountId: string,
      id: string,
      flags: { archived_until_next_event?: number; archived_for_ever?: number },
    ): Promise<ErrorGroupRecord | undefined> {
      if (Object.keys(flags).length > 0) {
        await db
          .updateTable('error_groups')
          .set(flags)
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .execute();
      }
      return owned(accountId).where('id', '=', id).executeTakeFirst();
    },
  };
}

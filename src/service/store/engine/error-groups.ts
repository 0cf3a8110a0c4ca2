/** Stores error groups, and adds failures to them. */
import { type Selectable, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { splitIntoChunks } from '../prepared-statements.ts';
import type { ErrorGroupRow } from '../tables/engine.ts';

export type ErrorGroupRecord = Selectable<ErrorGroupRow>;

/** A failure, with the hash of its group. */
export interface Failure {
  readonly accountId: string;
  readonly checkId: string;
  readonly hash: string;
  readonly raw: string;
  readonly cleaned: string;
  /** Ms since the epoch. */
  readonly seenAt: number;
}

type NewErrorGroup = ReturnType<typeof newErrorGroup>;

function newErrorGroup(id: string, { accountId, checkId, hash, raw, cleaned, seenAt }: Failure) {
  return {
    id,
    account_id: accountId,
    check_id: checkId,
    error_hash: hash,
    raw_message: raw,
    cleaned_message: cleaned,
    first_seen: seenAt,
    last_seen: seenAt,
    archived_until_next_event: 0,
    archived_for_ever: 0,
  };
}

export function errorGroups({ db, random }: StoreContext) {
  const owned = (accountId: string) =>
    db.selectFrom('error_groups').selectAll().where('account_id', '=', accountId);
  return {
    /**
     * Adds failures to their groups, and creates missing groups. Reopens groups that are archived until the next event. Returns
     * the group IDs by check ID and hash, separated by a space.
     */
    async record(failures: readonly Failure[]): Promise<ReadonlyMap<string, string>> {
      const merged = new Map<string, NewErrorGroup>();
      for (const failure of failures) {
        const key = `${failure.checkId} ${failure.hash}`;
        const group = merged.get(key) ?? newErrorGroup(random.uuid(), failure);
        group.first_seen = Math.min(group.first_seen, failure.seenAt);
        group.last_seen = Math.max(group.last_seen, failure.seenAt);
        merged.set(key, group);
      }
      // A fixed order avoids deadlocks between transactions.
      const rows = [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
      const ids = new Map<string, string>();
      for (const some of splitIntoChunks(rows)) {
        const stored = await db
          .insertInto('error_groups')
          .values(some)
          .onConflict((conflict) =>
            conflict
              .columns(['check_id', 'error_hash'])
              // A failure that is reported late must not move the last event back.
              .doUpdateSet({
                first_seen: sql<number>`case when excluded.first_seen < error_groups.first_seen then excluded.first_seen else error_groups.first_seen end`,
                last_seen: sql<number>`case when excluded.last_seen > error_groups.last_seen then excluded.last_seen else error_groups.last_seen end`,
                archived_until_next_event: 0,
              }),
          )
          .returning(['id', 'check_id', 'error_hash'])
          .execute();
        for (const { id, check_id, error_hash } of stored) ids.set(`${check_id} ${error_hash}`, id);
      }
      return ids;
    },
    get: (accountId: string, id: string): Promise<ErrorGroupRecord | undefined> =>
      owned(accountId).where('id', '=', id).executeTakeFirst(),
    /** Lists the groups of a check, or of all checks, last seen first. */
    list: (
      accountId: string,
      checkId: string | undefined,
      { limit, offset }: { readonly limit: number; readonly offset: number },
    ): Promise<ErrorGroupRecord[]> =>
      (checkId === undefined ? owned(accountId) : owned(accountId).where('check_id', '=', checkId))
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

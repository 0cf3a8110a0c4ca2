/** Stores which files belong to results. The files themselves are outside the database. */
import type { Insertable, Selectable } from 'kysely';
import type { StoreContext } from '../context.ts';
import type { ArtifactRow } from '../tables/engine.ts';

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

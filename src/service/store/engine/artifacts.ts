/** Which files belong to results. The files themselves lie beside the store. */
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
    /** One that this result has, of whichever account: for who opens the result by a link. */
    ofResult: (resultId: string, id: string): Promise<ArtifactRecord | undefined> =>
      db
        .selectFrom('artifacts')
        .selectAll()
        .where('id', '=', id)
        .where('result_id', '=', resultId)
        .executeTakeFirst(),
    /** How many bytes the files have that belong to results. */
    async bytes(): Promise<number> {
      const query = db.selectFrom('artifacts').select((to) => to.fn.sum<number | null>('bytes').as('bytes'));
      return Number((await query.executeTakeFirstOrThrow()).bytes ?? 0);
    },
    /** Those of the oldest results. */
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
    /** Those of the ids that a result still has. */
    async known(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db.selectFrom('artifacts').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

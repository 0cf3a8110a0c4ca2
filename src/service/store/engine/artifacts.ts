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
    /** Those of the ids that a result still has. */
    async known(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db.selectFrom('artifacts').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

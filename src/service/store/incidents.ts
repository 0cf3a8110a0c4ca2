/** Stores incidents, and the open incident of each check. */
import { type Collection, collection, resourceFrom } from './collection.ts';
import type { StoreContext } from './context.ts';
import type { IncidentBody, IncidentRecord } from './documents.ts';
import { incidentTimes } from './incident-times.ts';

export function incidents(context: StoreContext) {
  const { db } = context;
  const documents: Collection<string, IncidentBody> = collection(context, {
    table: 'incidents',
    ids: 'uuid',
    columns: (body) => ({ ...incidentTimes(body) }),
  });
  const owned = (accountId: string) =>
    db.selectFrom('incidents').selectAll().where('account_id', '=', accountId);
  return {
    ...documents,
    /** Returns the incidents that were open at any time since an instant (ms), latest first. */
    async since(accountId: string, from: number): Promise<IncidentRecord[]> {
      const open = owned(accountId).where('resolved_at', 'is', null);
      const ended = owned(accountId).where('resolved_at', '>=', from);
      const rows = [...(await open.execute()), ...(await ended.execute())];
      return rows
        .sort((one, other) => (other.opened_at ?? 0) - (one.opened_at ?? 0) || (one.id < other.id ? 1 : -1))
        .map((row) => resourceFrom(row));
    },
    /** Claims the check's single open incident; false if it is claimed. Concurrent claims wait for the transaction. */
    async claimFor(accountId: string, checkId: string): Promise<boolean> {
      const row = await db
        .insertInto('automatic_incidents')
        .values({ check_id: checkId, account_id: accountId, incident_id: null })
        .onConflict((conflict) => conflict.column('check_id').doNothing())
        .returning('check_id')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Returns the incident that a check opened, which its recovery resolves. */
    async openedBy(accountId: string, checkId: string): Promise<string | undefined> {
      const query = db.selectFrom('automatic_incidents').select('incident_id');
      const row = await query
        .where('account_id', '=', accountId)
        .where('check_id', '=', checkId)
        .executeTakeFirst();
      return row?.incident_id ?? undefined;
    },
    async setOpenedBy(accountId: string, checkId: string, incidentId: string): Promise<void> {
      await db
        .updateTable('automatic_incidents')
        .set({ incident_id: incidentId })
        .where('account_id', '=', accountId)
        .where('check_id', '=', checkId)
        .execute();
    },
    /** Releases the check's claim, and returns its incident. */
    async release(accountId: string, checkId: string): Promise<string | undefined> {
      const row = await db
        .deleteFrom('automatic_incidents')
        .where('account_id', '=', accountId)
        .where('check_id', '=', checkId)
        .returning('incident_id')
        .executeTakeFirst();
      return row?.incident_id ?? undefined;
    },
  };
}

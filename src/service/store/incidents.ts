/** Stores incidents, and the open incident of each check. */
import type { StoreContext } from './context.ts';
import { collection, type IncidentBody, type IncidentRecord, resourceFrom } from './documents.ts';

/**
 * Returns the time columns of an incident in ms since the epoch: of its first update, and of the update that resolved it
 * (null if open). Later updates of a resolved incident do not change its end. Updates are sorted newest first.
 */
export function incidentTimes({
  incidentUpdates: updates,
}: {
  readonly incidentUpdates: readonly { readonly status: string; readonly created_at: string }[];
}) {
  const first = updates.at(-1);
  const firstOpen = updates.findIndex(({ status }) => status !== 'RESOLVED');
  const resolvedBy = updates[(firstOpen < 0 ? updates.length : firstOpen) - 1];
  return {
    opened_at: first === undefined ? null : Date.parse(first.created_at),
    resolved_at: resolvedBy === undefined ? null : Date.parse(resolvedBy.created_at),
  };
}

export function incidents(context: StoreContext) {
  const { db } = context;
  const documents = collection<string, IncidentBody>(context, {
    table: 'incidents',
    ids: 'uuid',
    columns: incidentTimes,
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
      const query = db.updateTable('automatic_incidents').set({ incident_id: incidentId });
      await query.where('account_id', '=', accountId).where('check_id', '=', checkId).execute();
    },
    /** Releases the check's claim, and returns its incident. */
    async release(accountId: string, checkId: string): Promise<string | undefined> {
      const query = db.deleteFrom('automatic_incidents').where('account_id', '=', accountId);
      const row = await query.where('check_id', '=', checkId).returning('incident_id').executeTakeFirst();
      return row?.incident_id ?? undefined;
    },
  };
}

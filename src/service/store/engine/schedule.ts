/** What the schedule reads and writes: due checks, their next tick, ticks that were missed. */

import { type CheckRecord, checkFrom } from '../checks.ts';
import type { StoreContext } from '../context.ts';

/** Ticks that nobody was there for; instants in ms since the epoch. */
export interface MissedTicks {
  readonly accountId: string;
  readonly checkId: string;
  readonly first: number;
  readonly last: number;
  readonly ticks: number;
}

export function scheduleRows({ db, clock }: StoreContext) {
  const active = () => db.selectFrom('checks').where('activated', '=', 1);
  return {
    /** The activated checks whose tick has come, the longest due first. */
    async due(now: number, limit: number): Promise<CheckRecord[]> {
      const query = active().selectAll().where('next_run_at', '<=', now).orderBy('next_run_at');
      return (await query.limit(limit).execute()).map(checkFrom);
    },
    async nextTick(): Promise<number | null> {
      const query = active().select('next_run_at').where('next_run_at', 'is not', null);
      return (await query.orderBy('next_run_at').limit(1).executeTakeFirst())?.next_run_at ?? null;
    },
    /** Activated checks that have no tick, as a process ended between their change and its consequences. */
    async unscheduled(limit: number): Promise<CheckRecord[]> {
      return (await active().selectAll().where('next_run_at', 'is', null).limit(limit).execute()).map(
        checkFrom,
      );
    },
    async check(id: string): Promise<CheckRecord | undefined> {
      const row = await db.selectFrom('checks').selectAll().where('id', '=', id).executeTakeFirst();
      return row && checkFrom(row);
    },
    /** Takes a tick by setting the next one; false where another has taken it. */
    async advance(id: string, from: number | null, to: number | null): Promise<boolean> {
      const query = db.updateTable('checks').set({ next_run_at: to }).where('id', '=', id);
      const seen =
        from === null ? query.where('next_run_at', 'is', null) : query.where('next_run_at', '=', from);
      return (await seen.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Moves on to the next location in turn; answers the turn that was taken. */
    async takeTurn(id: string): Promise<number> {
      const row = await db
        .updateTable('checks')
        .set((set) => ({ location_cursor: set('location_cursor', '+', 1) }))
        .where('id', '=', id)
        .returning('location_cursor')
        .executeTakeFirst();
      return row === undefined ? 0 : row.location_cursor - 1;
    },
    async recordMissed({ accountId, checkId, first, last, ticks }: MissedTicks): Promise<void> {
      await db
        .insertInto('missed_ticks')
        .values({
          account_id: accountId,
          check_id: checkId,
          first_tick: first,
          last_tick: last,
          ticks,
          recorded_at: clock.now(),
        })
        .execute();
    },
    /** How long after its tick the first attempt of each session that was scheduled in [from, to) began, in ms. */
    async lateness(from: number, to: number): Promise<number[]> {
      const rows = await db
        .selectFrom('check_sessions')
        .innerJoin('results', 'results.session_id', 'check_sessions.id')
        .select(['results.started_at as began', 'check_sessions.scheduled_at as tick'])
        .where('check_sessions.scheduled_at', '>=', from)
        .where('check_sessions.scheduled_at', '<', to)
        .where('results.attempt', '=', 0)
        .execute();
      return rows.map(({ began, tick }) => began - (tick ?? began));
    },
    async missedOf(checkId: string): Promise<MissedTicks[]> {
      const rows = await db
        .selectFrom('missed_ticks')
        .selectAll()
        .where('check_id', '=', checkId)
        .orderBy('first_tick')
        .execute();
      return rows.map((row) => ({
        accountId: row.account_id,
        checkId: row.check_id,
        first: row.first_tick,
        last: row.last_tick,
        ticks: row.ticks,
      }));
    },
  };
}

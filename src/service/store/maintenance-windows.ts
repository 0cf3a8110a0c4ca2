/** Maintenance windows: documents whose list is also read by time, and what became of them. */
import type { Selectable } from 'kysely';
import { type Collection, collection, isKey, type Stored, storedFrom } from './collection.ts';
import type { Slice, StoreContext } from './context.ts';
import { sliced } from './cursor.ts';
import type { MaintenanceWindowBody } from './documents.ts';
import type { MaintenanceStateRow } from './tables/maintenance.ts';

/** One comparison with an instant, in ms. */
export interface InstantFilter {
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte';
  readonly instant: number;
}

export interface WindowFilter extends Slice {
  readonly startsAt?: InstantFilter | undefined;
  readonly endsAt?: InstantFilter | undefined;
}

/** What became of a window: what is not written in it. Instants in ms since the epoch. */
export interface MaintenanceState {
  /** When a person started it; null: nobody has since it was last ended. */
  readonly startedAt: number | null;
  /** Occurrences that begin until then are over, as a person ended them; null: none is. */
  readonly endedThrough: number | null;
  /** Since when it is known to be open; null: it is not. */
  readonly openSince: number | null;
  /** Reminders that were due until then are dealt with. */
  readonly toldUntil: number;
}

/** A window with what became of it. */
export type MaintenanceWindowWithState = Stored<number, MaintenanceWindowBody> & {
  readonly state: MaintenanceState;
};

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The instant (ms) of a date-time; the API has made full ones of bare dates. */
function instant(date: string): number {
  const value = Date.parse(date);
  if (Number.isNaN(value)) throw new RangeError(`${date} is not a date`);
  return value;
}

type StateColumns = Omit<Selectable<MaintenanceStateRow>, 'window_id' | 'account_id'>;

const stateFrom = (row: StateColumns): MaintenanceState => ({
  startedAt: row.started_at,
  endedThrough: row.ended_through,
  openSince: row.open_since,
  toldUntil: row.told_until,
});

const stateWritten = (state: MaintenanceState): StateColumns => ({
  started_at: state.startedAt,
  ended_through: state.endedThrough,
  open_since: state.openSince,
  told_until: state.toldUntil,
});

export type MaintenanceWindows = ReturnType<typeof maintenanceWindows>;

export function maintenanceWindows(context: StoreContext) {
  const { clock, random } = context;
  const windowsOn = (within: StoreContext): Collection<number, MaintenanceWindowBody> =>
    collection(within, {
      table: 'maintenance_windows',
      ids: 'number',
      columns: ({ startsAt, endsAt }) => ({ starts_at: instant(startsAt), ends_at: instant(endsAt) }),
    });
  const windows = windowsOn(context);

  /** Gives the account's windows another version: whoever has read them reads them again. */
  async function touch({ db }: StoreContext, accountId: string): Promise<void> {
    const version = random.uuid();
    await db
      .insertInto('maintenance_versions')
      .values({ account_id: accountId, version })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ version }))
      .execute();
  }

  const joined = () =>
    context.db
      .selectFrom('maintenance_windows')
      .innerJoin('maintenance_states', 'maintenance_states.window_id', 'maintenance_windows.id')
      .selectAll('maintenance_windows')
      .select(['started_at', 'ended_through', 'open_since', 'told_until'])
      .orderBy('maintenance_windows.id');

  return {
    ...windows,
    create: (accountId: string, body: MaintenanceWindowBody) =>
      context.atomically(async (within) => {
        const made = await windowsOn(within).create(accountId, body);
        const fresh = { startedAt: null, endedThrough: null, openSince: null, toldUntil: clock.now() };
        await within.db
          .insertInto('maintenance_states')
          .values({ window_id: made.id, account_id: accountId, ...stateWritten(fresh) })
          .execute();
        await touch(within, accountId);
        return made;
      }),
    replace: (accountId: string, id: number, body: MaintenanceWindowBody) =>
      context.atomically(async (within) => {
        const replaced = await windowsOn(within).replace(accountId, id, body);
        if (replaced) await touch(within, accountId);
        return replaced;
      }),
    change: (accountId: string, id: number, change: (body: MaintenanceWindowBody) => MaintenanceWindowBody) =>
      context.atomically(async (within) => {
        const changed = await windowsOn(within).change(accountId, id, change);
        if (changed) await touch(within, accountId);
        return changed;
      }),
    delete: (accountId: string, id: number) =>
      context.atomically(async (within) => {
        const isGone = await windowsOn(within).delete(accountId, id);
        if (isGone) await touch(within, accountId);
        return isGone;
      }),
    /** The newest first, of those whose own start and end (not their repetitions') pass the filters. */
    async list(
      accountId: string,
      { startsAt, endsAt, ...slice }: WindowFilter = {},
    ): Promise<Stored<number, MaintenanceWindowBody>[]> {
      let query = context.db
        .selectFrom('maintenance_windows')
        .selectAll()
        .where('account_id', '=', accountId);
      if (startsAt) query = query.where('starts_at', OPERATORS[startsAt.comparison], startsAt.instant);
      if (endsAt) query = query.where('ends_at', OPERATORS[endsAt.comparison], endsAt.instant);
      const rows = await sliced(query.orderBy('created_at', 'desc').orderBy('id', 'desc'), slice).execute();
      return rows.map((row) => storedFrom(row));
    },
    /** The version of an account's windows: another one after every change, the same nowhere else. Undefined: it has none. */
    async version(accountId: string): Promise<string | undefined> {
      const query = context.db.selectFrom('maintenance_versions').select('version');
      return (await query.where('account_id', '=', accountId).executeTakeFirst())?.version;
    },
    /** All windows of an account with what became of them, the oldest first. */
    async withStates(accountId: string): Promise<MaintenanceWindowWithState[]> {
      const rows = await joined().where('maintenance_windows.account_id', '=', accountId).execute();
      return rows.map((row) => ({
        ...storedFrom<number, MaintenanceWindowBody>(row),
        state: stateFrom(row),
      }));
    },
    /** A window with what became of it. Undefined where the account has no such window. */
    async withState(accountId: string, id: number): Promise<MaintenanceWindowWithState | undefined> {
      if (!isKey(id)) return undefined;
      const query = joined().where('maintenance_windows.account_id', '=', accountId);
      const row = await query.where('maintenance_windows.id', '=', id).executeTakeFirst();
      return row && { ...storedFrom<number, MaintenanceWindowBody>(row), state: stateFrom(row) };
    },
    /** Writes what became of a window. */
    setState: (accountId: string, id: number, state: MaintenanceState) =>
      context.atomically(async (within) => {
        await within.db
          .updateTable('maintenance_states')
          .set(stateWritten(state))
          .where('window_id', '=', id)
          .where('account_id', '=', accountId)
          .execute();
        await touch(within, accountId);
      }),
  };
}

/** Stores maintenance windows, their state, and past periods of windows that changed. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Collection, collection, isValidId, resourceFrom, type StoredResource } from './collection.ts';
import type { Slice, StoreContext } from './context.ts';
import { applySlice } from './cursor.ts';
import type { MaintenanceWindowBody } from './documents.ts';
import type { MaintenanceStateRow } from './tables/maintenance.ts';

/** A comparison with an instant, in ms. */
export interface InstantFilter {
  readonly comparison: 'gt' | 'gte' | 'lt' | 'lte';
  readonly instant: number;
}

export interface WindowFilter extends Slice {
  readonly startsAt?: InstantFilter | undefined;
  readonly endsAt?: InstantFilter | undefined;
}

/** The state of a window, apart from its body. Instants in ms since the epoch. */
export interface MaintenanceState {
  /** When a user started it; null if nobody did since it last ended. */
  readonly startedAt: number | null;
  /** Occurrences that begin until then were ended by a user; null if none. */
  readonly endedThrough: number | null;
  /** Since when it is known to be open; null if it is not. */
  readonly openSince: number | null;
  /** Reminders due until then are handled. */
  readonly remindedUntil: number;
}

/** A window with its state. */
export type MaintenanceWindowWithState = StoredResource<number, MaintenanceWindowBody> & {
  readonly state: MaintenanceState;
};

/** The effects of a window on checks and alerts. */
export interface MaintenanceEffects {
  readonly pauseAllChecks?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly silenceAllAlerts?: boolean | undefined;
  readonly silenceAlertsTags?: readonly string[] | undefined;
  readonly statusPageVisibility?: MaintenanceWindowBody['statusPageVisibility'];
}

/** A past period of a window that was ended manually, changed or deleted since. Instants in ms since the epoch. */
export interface PastMaintenance {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly effects: MaintenanceEffects;
}

/** Retention of past periods, in ms: no alert is evaluated later. */
const PAST_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Returns the instant (ms) of a date-time. The API has already expanded dates without a time. */
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
  remindedUntil: row.told_until,
});

const stateColumns = (state: MaintenanceState): StateColumns => ({
  started_at: state.startedAt,
  ended_through: state.endedThrough,
  open_since: state.openSince,
  told_until: state.remindedUntil,
});

/** Returns the condition that a column passes a filter. */
const passesFilter = (column: 'starts_at' | 'ends_at', filter: InstantFilter | undefined) =>
  filter
    ? sql<SqlBool>`${sql.ref(column)} ${sql.raw(OPERATORS[filter.comparison])} ${filter.instant}`
    : sql<SqlBool>`1 = 1`;

type WindowRow = Parameters<typeof resourceFrom>[0] & StateColumns;

const windowFrom = (row: WindowRow): MaintenanceWindowWithState => ({
  ...resourceFrom<number, MaintenanceWindowBody>(row),
  state: stateFrom(row),
});

export type MaintenanceWindows = ReturnType<typeof maintenanceWindows>;

export function maintenanceWindows(context: StoreContext) {
  const { clock, random } = context;
  const windowsIn = (tx: StoreContext): Collection<number, MaintenanceWindowBody> =>
    collection(tx, {
      table: 'maintenance_windows',
      ids: 'number',
      columns: ({ startsAt, endsAt }) => ({ starts_at: instant(startsAt), ends_at: instant(endsAt) }),
    });
  const windows = windowsIn(context);

  /** Changes the version of the account's windows, which invalidates caches. */
  async function changeVersion({ db }: StoreContext, accountId: string): Promise<void> {
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
      .select(['started_at', 'ended_through', 'open_since', 'told_until']);

  return {
    ...windows,
    create: (accountId: string, body: MaintenanceWindowBody) =>
      context.atomically(async (tx) => {
        const created = await windowsIn(tx).create(accountId, body);
        const initial = { startedAt: null, endedThrough: null, openSince: null, remindedUntil: clock.now() };
        await tx.db
          .insertInto('maintenance_states')
          .values({ window_id: created.id, account_id: accountId, ...stateColumns(initial) })
          .execute();
        await changeVersion(tx, accountId);
        return created;
      }),
    replace: (accountId: string, id: number, body: MaintenanceWindowBody) =>
      context.atomically(async (tx) => {
        const replaced = await windowsIn(tx).replace(accountId, id, body);
        if (replaced) await changeVersion(tx, accountId);
        return replaced;
      }),
    change: (accountId: string, id: number, change: (body: MaintenanceWindowBody) => MaintenanceWindowBody) =>
      context.atomically(async (tx) => {
        const changed = await windowsIn(tx).change(accountId, id, change);
        if (changed) await changeVersion(tx, accountId);
        return changed;
      }),
    delete: (accountId: string, id: number) =>
      context.atomically(async (tx) => {
        const isDeleted = await windowsIn(tx).delete(accountId, id);
        if (isDeleted) await changeVersion(tx, accountId);
        return isDeleted;
      }),
    /** Lists windows, newest first. The filters apply to the first occurrence, not to repetitions. */
    async list(
      accountId: string,
      { startsAt, endsAt, ...slice }: WindowFilter = {},
    ): Promise<MaintenanceWindowWithState[]> {
      const newest = joined()
        .where('maintenance_windows.account_id', '=', accountId)
        .where(passesFilter('starts_at', startsAt))
        .where(passesFilter('ends_at', endsAt))
        .orderBy('maintenance_windows.created_at', 'desc')
        .orderBy('maintenance_windows.id', 'desc');
      return (await applySlice(newest, slice).execute()).map(windowFrom);
    },
    /** Counts the windows that pass the filters. */
    async count(accountId: string, { startsAt, endsAt }: WindowFilter = {}): Promise<number> {
      const query = context.db
        .selectFrom('maintenance_windows')
        .select((to) => to.fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .where(passesFilter('starts_at', startsAt))
        .where(passesFilter('ends_at', endsAt));
      return (await query.executeTakeFirstOrThrow()).count;
    },
    /** Returns the version of the account's windows: globally unique and new after each change. Undefined without windows. */
    async version(accountId: string): Promise<string | undefined> {
      const query = context.db.selectFrom('maintenance_versions').select('version');
      return (await query.where('account_id', '=', accountId).executeTakeFirst())?.version;
    },
    /** Returns the accounts that have ever had a window. */
    async accounts(): Promise<string[]> {
      const query = context.db.selectFrom('maintenance_versions').select('account_id');
      return (await query.orderBy('account_id').execute()).map(({ account_id }) => account_id);
    },
    /** Returns all windows of an account with their state, oldest first. */
    async listWithState(accountId: string): Promise<MaintenanceWindowWithState[]> {
      const query = joined().where('maintenance_windows.account_id', '=', accountId);
      return (await query.orderBy('maintenance_windows.id').execute()).map(windowFrom);
    },
    /** Returns a window with its state; undefined if the account has no such window. */
    async getWithState(accountId: string, id: number): Promise<MaintenanceWindowWithState | undefined> {
      if (!isValidId(id)) return undefined;
      const query = joined().where('maintenance_windows.account_id', '=', accountId);
      const row = await query.where('maintenance_windows.id', '=', id).executeTakeFirst();
      return row && windowFrom(row);
    },
    /** Returns past periods of windows that changed since, oldest first. */
    async past(accountId: string): Promise<PastMaintenance[]> {
      const query = context.db.selectFrom('maintenance_past').selectAll();
      const rows = await query.where('account_id', '=', accountId).orderBy('ends_at').execute();
      return rows.map(({ starts_at: startsAt, ends_at: endsAt, effects }) => ({
        startsAt,
        endsAt,
        effects: JSON.parse(effects) as MaintenanceEffects,
      }));
    },
    /** Stores a past period of a window, and deletes expired ones. */
    recordPast: (accountId: string, { startsAt, endsAt, effects }: PastMaintenance) =>
      context.atomically(async (tx) => {
        await tx.db
          .deleteFrom('maintenance_past')
          .where('account_id', '=', accountId)
          .where('ends_at', '<', clock.now() - PAST_RETENTION_MS)
          .execute();
        const row = { starts_at: startsAt, ends_at: endsAt, effects: JSON.stringify(effects) };
        await tx.db
          .insertInto('maintenance_past')
          .values({ id: random.uuid(), account_id: accountId, ...row })
          .execute();
        await changeVersion(tx, accountId);
      }),
    /** Writes the state of a window. */
    setState: (accountId: string, id: number, state: MaintenanceState) =>
      context.atomically(async (tx) => {
        await tx.db
          .updateTable('maintenance_states')
          .set(stateColumns(state))
          .where('window_id', '=', id)
          .where('account_id', '=', accountId)
          .execute();
        await changeVersion(tx, accountId);
      }),
  };
}

/** Stores maintenance windows, their state, and past periods of windows that changed. */
import { type SqlBool, sql } from 'kysely';
import type { OccurrenceException } from '../../calendar/occurrences.ts';
import type { StoreContext } from './context.ts';
import {
  collection,
  isValidId,
  type MaintenanceWindowBody,
  type MaintenanceWindowRecord,
  resourceFrom,
} from './documents.ts';
import { applySlice, type Slice } from './lists.ts';
import type { MaintenanceStateRow } from './tables/resources.ts';

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
export type MaintenanceState = Readonly<ReturnType<typeof stateFrom>>;

/** A window with its state. */
export type MaintenanceWindowWithState = MaintenanceWindowRecord & { readonly state: MaintenanceState };

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

type StateColumns = Omit<MaintenanceStateRow, 'window_id' | 'account_id'>;

const stateFrom = (row: StateColumns) => ({
  startedAt: row.started_at,
  endedThrough: row.ended_through,
  openSince: row.open_since,
  remindedUntil: row.told_until,
  exceptions: JSON.parse(row.exceptions ?? '[]') as readonly OccurrenceException[],
});

/** Returns the condition that a window passes the filters. They apply to the first occurrence, not to repetitions. */
const passesFilter = ({ startsAt, endsAt }: WindowFilter) =>
  sql<SqlBool>`${compare('starts_at', startsAt)} and ${compare('ends_at', endsAt)}`;

const compare = (column: string, filter: InstantFilter | undefined) =>
  filter ? sql`${sql.ref(column)} ${sql.raw(OPERATORS[filter.comparison])} ${filter.instant}` : sql`1 = 1`;

const windowFrom = (row: Parameters<typeof resourceFrom>[0] & StateColumns): MaintenanceWindowWithState => ({
  ...resourceFrom<number, MaintenanceWindowBody>(row),
  state: stateFrom(row),
});

export type MaintenanceWindows = ReturnType<typeof maintenanceWindows>;

export function maintenanceWindows(context: StoreContext) {
  const { db, clock, random } = context;

  /** Changes the version of the account's windows, which invalidates caches. */
  async function changeVersion(tx: StoreContext, accountId: string): Promise<void> {
    const version = random.uuid();
    await tx.db
      .insertInto('maintenance_versions')
      .values({ account_id: accountId, version })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ version }))
      .execute();
  }

  const windows = collection<number, MaintenanceWindowBody>(context, {
    table: 'maintenance_windows',
    ids: 'number',
    columns: ({ startsAt, endsAt }) => ({ starts_at: instant(startsAt), ends_at: instant(endsAt) }),
    async onWrite(tx, { id, accountId }, kind) {
      if (kind === 'create') {
        const state = { started_at: null, ended_through: null, open_since: null, exceptions: null };
        const row = { window_id: id, account_id: accountId, ...state, told_until: clock.now() };
        await tx.db.insertInto('maintenance_states').values(row).execute();
      }
      await changeVersion(tx, accountId);
    },
  });

  const joined = (accountId: string) =>
    db
      .selectFrom('maintenance_windows')
      .innerJoin('maintenance_states', 'maintenance_states.window_id', 'maintenance_windows.id')
      .selectAll('maintenance_windows')
      .select(['started_at', 'ended_through', 'open_since', 'told_until', 'exceptions'])
      .where('maintenance_windows.account_id', '=', accountId);

  return {
    ...windows,
    /** Lists the windows that pass the filters, newest first. */
    async list(accountId: string, filter: WindowFilter = {}): Promise<MaintenanceWindowWithState[]> {
      const newest = joined(accountId)
        .where(passesFilter(filter))
        .orderBy('maintenance_windows.created_at', 'desc')
        .orderBy('maintenance_windows.id', 'desc');
      return (await applySlice(newest, filter).execute()).map(windowFrom);
    },
    /** Counts the windows that pass the filters. */
    async count(accountId: string, filter: WindowFilter = {}): Promise<number> {
      const query = db.selectFrom('maintenance_windows').where(passesFilter(filter));
      const counted = query.select((to) => to.fn.countAll<number>().as('count'));
      return (await counted.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
    /** Returns the version of the account's windows: globally unique and new after each change. Undefined without windows. */
    async version(accountId: string): Promise<string | undefined> {
      const query = db.selectFrom('maintenance_versions').select('version');
      return (await query.where('account_id', '=', accountId).executeTakeFirst())?.version;
    },
    /** Returns the accounts that have ever had a window. */
    async accounts(): Promise<string[]> {
      const query = db.selectFrom('maintenance_versions').select('account_id');
      return (await query.orderBy('account_id').execute()).map(({ account_id }) => account_id);
    },
    /** Returns all windows of an account with their state, oldest first. */
    async listWithState(accountId: string): Promise<MaintenanceWindowWithState[]> {
      return (await joined(accountId).orderBy('maintenance_windows.id').execute()).map(windowFrom);
    },
    /** Returns a window with its state; undefined if the account has no such window. */
    async getWithState(accountId: string, id: number): Promise<MaintenanceWindowWithState | undefined> {
      if (!isValidId(id)) return undefined;
      const row = await joined(accountId).where('maintenance_windows.id', '=', id).executeTakeFirst();
      return row && windowFrom(row);
    },
    /** Returns past periods of windows that changed since, oldest first. */
    async past(accountId: string): Promise<PastMaintenance[]> {
      const query = db
        .selectFrom('maintenance_past')
        .select(['starts_at as startsAt', 'ends_at as endsAt', 'effects']);
      const rows = await query.where('account_id', '=', accountId).orderBy('ends_at').execute();
      return rows.map((row) => ({ ...row, effects: JSON.parse(row.effects) as MaintenanceEffects }));
    },
    /** Stores a past period of a window, and deletes expired ones. */
    recordPast: (accountId: string, { startsAt, endsAt, effects }: PastMaintenance) =>
      context.atomically(async (tx) => {
        const expired = tx.db
          .deleteFrom('maintenance_past')
          .where('ends_at', '<', clock.now() - PAST_RETENTION_MS);
        await expired.where('account_id', '=', accountId).execute();
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
          .set({
            started_at: state.startedAt,
            ended_through: state.endedThrough,
            open_since: state.openSince,
            told_until: state.remindedUntil,
            exceptions: state.exceptions.length === 0 ? null : JSON.stringify(state.exceptions),
          })
          .where('window_id', '=', id)
          .where('account_id', '=', accountId)
          .execute();
        await changeVersion(tx, accountId);
      }),
  };
}

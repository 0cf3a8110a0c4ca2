/** Opens the store: the single interface to all persistent data, identical on SQLite and Postgres. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { type Bell, bell } from '../../base/wake-signal.ts';
import { accounts } from './accounts.ts';
import { alertStates } from './alert-states.ts';
import type { Changes } from './changes.ts';
import { checks } from './checks.ts';
import { codeBundles } from './code-bundles.ts';
import type { AtOnce, StoreContext, TransactionOptions } from './context.ts';
import { documents } from './documents.ts';
import { isRetryable } from './errors.ts';
import { DatabaseFault } from './faults.ts';
import { checkGroups } from './groups.ts';
import { guarded, type Turns } from './guard.ts';
import { heartbeats } from './heartbeats.ts';
import { incidents } from './incidents.ts';
import { apiKeys } from './keys.ts';
import { lazily } from './lazy-properties.ts';
import { maintenanceWindows } from './maintenance-windows.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { migrate } from './migrations/run.ts';
import { outbox } from './outbox.ts';
import { pageAccess } from './page-access.ts';
import { openPostgres, type PostgresOptions } from './postgres/open.ts';
import type { Link } from './postgres/pool.ts';
import { privateLocations } from './private-locations.ts';
import { recentKeys } from './recent-keys.ts';
import { settings } from './settings.ts';
import { openSqliteFile, refusal } from './sqlite.ts';
import { statusPages } from './status-pages.ts';
import { subscribers } from './subscribers.ts';
import { subscriptionRequests } from './subscription-requests.ts';
import { subscriptions } from './subscriptions.ts';
import type { Database, DialectName } from './tables.ts';
import { triggers } from './triggers.ts';
import { usedBytes } from './used-bytes.ts';

const repositories = lazily({
  accounts,
  keys: apiKeys,
  checks,
  groups: checkGroups,
  subscriptions,
  triggers,
  privateLocations,
  maintenanceWindows,
  outbox,
  alertStates,
  statusPages,
  incidents,
  pageAccess,
  subscribers,
  subscriptionRequests,
  settings,
  heartbeats,
  codeBundles,
  alertChannels: (context) => documents(context).alertChannels,
  snippets: (context) => documents(context).snippets,
  variables: (context) => documents(context).variables,
  dashboards: (context) => documents(context).dashboards,
  services: (context) => documents(context).services,
});

export type Repositories = ReturnType<typeof repositories>;

/** A transaction: either all of its changes are stored, or none. */
export interface StoreTransaction extends StoreContext, Repositories {
  /** Runs `callback` after the commit; a rolled-back transaction never runs it. It must not throw. */
  onCommit(told: () => void): void;
  /** Signal to send after the commit if the transaction wrote to the outbox. */
  readonly outboxBell: Bell;
  readonly outboxRoom: OutboxRoom;
}

/** Whether the outbox accepts messages. `refusal` is the reason why not, as a sentence; undefined if it does. */
export interface OutboxRoom {
  refusal: string | undefined;
}

export interface Store extends StoreContext, Repositories {
  readonly db: Kysely<Database>;
  /** Signals that this process wrote to the outbox. */
  readonly outboxBell: Bell;
  readonly outboxRoom: OutboxRoom;
  /** Returns the size of the database in bytes. On Postgres it includes deleted rows until the next vacuum. */
  usedBytes(): Promise<number>;
  /** Counts of writes by table; undefined if other processes write to the database, too. */
  readonly changes: Changes | undefined;
  /**
   * Runs `work` in one transaction. `work` does no I/O except statements on `tx`, and runs again after a serialization
   * failure or a deadlock. A failed statement fails the transaction, even if its error is caught.
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Writes a complete copy of the store into a new file (0600), atomically. It blocks the service until it is done.
   * @throws UsageError if the file exists, or the store is on Postgres, which has its own tools.
   */
  backup(path: string): Promise<void>;
  /** Returns why the store cannot be written, as a sentence fit for the public; undefined if no problem is known. */
  problem(): string | undefined;
  /** Returns the number of transactions and statements with which this process stored something. */
  writes(): number;
  /** Control over the connections to Postgres; undefined on SQLite. */
  readonly link: Link | undefined;
  /** Closes all connections. On SQLite another process can open the file immediately afterwards. */
  close(): Promise<void>;
}

/** Location of the store: the path of a SQLite file, or the URL of a Postgres database. */
export type StoreLocation = { readonly path: string } | { readonly url: string };

export interface StoreDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly onWarn?: (message: string) => void;
  /** Options for Postgres. */
  readonly database?: Pick<PostgresOptions, 'connections' | 'waitMs' | 'signal'>;
  /**
   * Whether use of the store inside a transaction throws; otherwise it deadlocks on SQLite. Default: true. The built service
   * turns it off, because async context tracking in Node 20 costs a third of the CPU time and the tests already cover its code.
   */
  readonly watchesMisuse?: boolean;
}

/** An open database, before the store is built on it. */
interface Opened {
  readonly name: DialectName;
  readonly changes: Changes | undefined;
  readonly atOnce: AtOnce | undefined;
  readonly dialect: Dialect;
  readonly link: Link | undefined;
  /** Runs `work` without a query timeout: migrations of large databases take long. */
  unhurried<T>(work: () => Promise<T>): Promise<T>;
  /** Returns a problem that is visible without a write. */
  problem(): string | undefined;
  isInTransaction(): boolean;
  release(): void;
  backup(to: string): void;
  close(): void;
}

const ATTEMPTS = 20;
const LONGEST_BACKOFF_MS = 200;

/**
 * Opens the store and migrates its tables.
 * @throws UsageError if the database is in use, was created by a newer version, or cannot be reached or written.
 */
export async function openStore(
  location: StoreLocation,
  dependencies: StoreDependencies,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Store> {
  const opened = await open(location, dependencies);
  const store = storeOver(opened, dependencies);
  try {
    await opened.unhurried(() => migrate(store.db.withTables(), opened.name, migrations, dependencies.clock));
    return store;
  } catch (error) {
    await store.close();
    throw 'path' in location ? refusal(location.path, error) : error;
  }
}

const ON_A_SERVER = {
  changes: undefined,
  atOnce: undefined,
  problem: () => undefined,
  isInTransaction: () => false,
  release() {},
  close() {},
  backup() {
    throw new UsageError('this command does not back up PostgreSQL databases', {
      hint: 'use pg_dump and pg_restore',
    });
  },
};

const IN_A_FILE = { link: undefined, unhurried: <T>(work: () => Promise<T>) => work() };

async function open(
  location: StoreLocation,
  { onWarn = () => {}, database }: StoreDependencies,
): Promise<Opened> {
  if ('path' in location) return { name: 'sqlite', ...IN_A_FILE, ...(await openSqliteFile(location.path)) };
  const opened = await openPostgres(location.url, { ...database, onWarn });
  return { name: 'postgres', ...opened, ...ON_A_SERVER };
}

/** The transaction of the current async context. All stores share it, because each instance slows down every promise of the process. */
const currentTransaction = new AsyncLocalStorage<{ readonly store: Opened; isOpen: boolean }>();

function storeOver(opened: Opened, { clock, random, watchesMisuse = true }: StoreDependencies): Store {
  const outboxBell = bell();
  const outboxRoom: OutboxRoom = { refusal: undefined };
  // Only one service opens the file, so no other process can revoke a key.
  const recent = opened.name === 'sqlite' ? recentKeys() : undefined;
  const turns: Turns | undefined = opened.name === 'sqlite' ? { taken: 0, isLost: false } : undefined;
  /** The fault that ended the last write; undefined if it succeeded. */
  let writeFault: DatabaseFault | undefined;
  let writes = 0;
  const { atOnce: ask } = opened;
  const atOnce: AtOnce | undefined =
    turns &&
    ask &&
    ((text, parameters) => (turns.taken === 0 && !turns.isLost ? ask(text, parameters) : undefined));
  const db = new Kysely<Database>({
    dialect: guarded(opened.dialect, {
      turns,
      onOutcome(fault) {
        writeFault = fault;
        if (fault === undefined) writes += 1;
      },
      isRolledBack: () => !opened.isInTransaction(),
      mayAcquire() {
        // On SQLite the call would deadlock; on Postgres it would not see the transaction's changes.
        const current = currentTransaction.getStore();
        if (current?.store === opened && current.isOpen)
          throw new Error('inside a transaction, use the transaction, not the store');
      },
    }),
  });

  async function attempt<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    isolation: TransactionOptions['isolation'],
  ) {
    const told: (() => void)[] = [];
    const result = await db
      .transaction()
      .setIsolationLevel(isolation ?? 'serializable')
      .execute(async (transaction) => {
        const state = { store: opened, isOpen: true };
        const context: StoreContext = {
          ...{ db: transaction, dialect: opened.name, clock, random, recentKeys: recent, atOnce: undefined },
          atomically: (inner) => inner(context),
        };
        const tx = Object.assign(repositories(context), context, {
          ...{ outboxBell, outboxRoom },
          onCommit: (tell: () => void) => void told.push(tell),
        });
        try {
          return await (watchesMisuse ? currentTransaction.run(state, () => work(tx)) : work(tx));
        } finally {
          state.isOpen = false;
        }
      });
    for (const tell of told) tell();
    return result;
  }

  async function transaction<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    { isolation }: TransactionOptions = {},
  ): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt(work, isolation);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (tried === ATTEMPTS) throw new DatabaseFault('the database is too busy', false, error);
        // Real time, not the injected clock: the conflicting transaction may belong to another process.
        await delay(random.next() * Math.min(LONGEST_BACKOFF_MS, 2 ** tried));
      }
    }
  }

  const context = {
    ...{ db, dialect: opened.name, clock, random, recentKeys: recent, atOnce },
    atomically: transaction,
  };
  return Object.assign(repositories(context), context, {
    ...{ transaction, outboxBell, outboxRoom, changes: opened.changes, link: opened.link },
    writes: () => writes,
    problem: () => opened.problem() ?? writeFault?.message,
    usedBytes: () => usedBytes(db, opened.name),
    // Backup and close acquire the single connection first, so that an open transaction can finish.
    backup: (to: string) => db.connection().execute(async () => opened.backup(to)),
    async close() {
      if (opened.name === 'sqlite') await db.connection().execute(async () => opened.release());
      await db.destroy();
      opened.close();
    },
  });
}

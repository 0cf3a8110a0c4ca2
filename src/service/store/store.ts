/** The store: one door to everything that lasts, the same over SQLite and Postgres. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { createWakeSignal, type WakeSignal } from '../../base/wake-signal.ts';
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

/** A transaction: everything done on it happens together or not at all. */
export interface StoreTransaction extends StoreContext, Repositories {
  /** Runs once the transaction is committed, never where it was given up. It must not throw. */
  onCommit(told: () => void): void;
  /** To be rung after the commit where something was written to the outbox. */
  readonly outboxBell: WakeSignal;
  readonly outboxRoom: OutboxRoom;
}

/** Why the outbox takes no more messages, as a sentence; undefined where it does. */
export interface OutboxRoom {
  refusal: string | undefined;
}

export interface Store extends StoreContext, Repositories {
  readonly db: Kysely<Database>;
  /** Rings when this process has written something to the outbox. */
  readonly outboxBell: WakeSignal;
  readonly outboxRoom: OutboxRoom;
  /** Bytes that the database uses; on Postgres also those of rows that are gone, until it is vacuumed. */
  usedBytes(): Promise<number>;
  /** What was written to which table; undefined where other processes write, too. */
  readonly changes: Changes | undefined;
  /**
   * Runs `work` in one transaction: no I/O in it but statements on what it is given. `work` runs again where Postgres
   * gave the transaction up for another's sake. A statement that fails spoils the transaction, even if it is caught.
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Writes a copy of the whole store as it is now into a new file (0600), complete or not at all. The service stands
   * still meanwhile.
   * @throws UsageError where the file is there already, or the store is on Postgres, which has its own tools.
   */
  backup(path: string): Promise<void>;
  /** Why the store cannot be written now, as a sentence for everybody; undefined where it can, as far as the last write told. */
  problem(): string | undefined;
  /** How many transactions and statements of this process have stored something. */
  writes(): number;
  /** The connections to Postgres; undefined on SQLite. */
  readonly link: Link | undefined;
  /** Lets everything go; on SQLite another may open the file at once. */
  close(): Promise<void>;
}

/** Where the store is: a SQLite file, or a Postgres database. */
export type StoreLocation = { readonly path: string } | { readonly url: string };

export interface StoreDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly onWarn?: (message: string) => void;
  /** Of Postgres (`PostgresOptions`). */
  readonly database?: Pick<PostgresOptions, 'connections' | 'waitMs' | 'signal'>;
  /**
   * Whether who uses the store inside a transaction of its own is told so: at once, where he would else wait for himself for
   * ever. Left out: yes. Node 20 keeps track of who asks at a third of what everything costs: the built service, whose code
   * the tests have seen, does without.
   */
  readonly watchesMisuse?: boolean;
}

/** A database that is open, before it is a store. */
interface Opened {
  readonly name: DialectName;
  readonly changes: Changes | undefined;
  readonly atOnce: AtOnce | undefined;
  readonly dialect: Dialect;
  readonly link: Link | undefined;
  /** Runs migrations, which may take long. */
  unhurried<T>(work: () => Promise<T>): Promise<T>;
  /** What can be seen without a write. */
  problem(): string | undefined;
  isInTransaction(): boolean;
  release(): void;
  backup(to: string): void;
  close(): void;
}

const ATTEMPTS = 20;
const LONGEST_BACKOFF_MS = 200;

/**
 * Opens the store and brings its tables up to date.
 * @throws UsageError where it is in use, was made by a newer program, or cannot be reached or written.
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

/** The transaction that the current code runs in. One for all stores: each instance makes every promise of its process slower. */
const currentTransaction = new AsyncLocalStorage<{ readonly store: Opened; isOpen: boolean }>();

function storeOver(opened: Opened, { clock, random, watchesMisuse = true }: StoreDependencies): Store {
  const outboxBell = createWakeSignal();
  const outboxRoom: OutboxRoom = { refusal: undefined };
  // One service has the file: no other can revoke a key.
  const recent = opened.name === 'sqlite' ? recentKeys() : undefined;
  const turns: Turns | undefined = opened.name === 'sqlite' ? { taken: 0, isLost: false } : undefined;
  /** What ended the last write; undefined where it was stored. */
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
        // On SQLite it would wait for itself for ever, on Postgres not see what the transaction did.
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
        // The database's own time, not the service's: who else wants the rows is not on our clock.
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
    // Both take the one connection first: whoever is in a transaction comes to its end.
    backup: (to: string) => db.connection().execute(async () => opened.backup(to)),
    async close() {
      if (opened.name === 'sqlite') await db.connection().execute(async () => opened.release());
      await db.destroy();
      opened.close();
    },
  });
}

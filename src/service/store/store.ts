/** Opens the store: the single interface to all persistent data, identical on SQLite and Postgres. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { createTurnLimit } from '../../base/turn-limit.ts';
import { createWakeSignal, type WakeSignal } from '../../base/wake-signal.ts';
import type { ChangeCounts } from './change-counter.ts';
import type {
  Database,
  DialectName,
  Executor,
  ReadSync,
  StoreContext,
  TransactionOptions,
} from './context.ts';
import { DatabaseFault, isRetryable } from './errors.ts';
import { type ConnectionQueue, guardDialect } from './guard-dialect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { type Migration, migrate } from './migrations/migrate.ts';
import { openPostgres, type PostgresOptions } from './postgres/open-postgres.ts';
import type { PoolControl } from './postgres/pool.ts';
import { createRepositories, type Repositories } from './repositories.ts';
import { createApiKeyCache } from './secrets.ts';
import { openSqliteFile, toUsageError } from './sqlite.ts';

/** A transaction: either all of its changes are stored, or none. */
export interface StoreTransaction extends StoreContext, Repositories, OutboxControl {
  /** Runs `callback` after the commit; a rolled-back transaction never runs it. It must not throw. */
  onCommit(callback: () => void): void;
}

interface OutboxControl {
  /** Signals that this process wrote to the outbox. A transaction sends it after its commit. */
  readonly outboxSignal: WakeSignal;
  /** Whether the outbox accepts messages. `refusal` is the reason why not, as a sentence; undefined if it does. */
  readonly outboxCapacity: { refusal: string | undefined };
}

/** The repositories, and transactions over them. */
export interface ResourceStore extends StoreContext, Repositories, OutboxControl {
  /**
   * Runs `work` in one transaction. `work` does no I/O except statements on `tx`, and runs again after a serialization
   * failure or a deadlock. A failed statement fails the transaction, even if its error is caught.
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** Returns a store whose reads and writes, also its transactions, are part of an open transaction. */
export const storeWithin = (tx: StoreTransaction): ResourceStore =>
  // Inherits, because the repositories of a transaction are inherited properties.
  Object.assign(Object.create(tx) as StoreTransaction, {
    transaction: <T>(work: (tx: StoreTransaction) => Promise<T>) => work(tx),
  });

export interface Store extends ResourceStore {
  readonly db: Kysely<Database>;
  /** Returns the size of the database in bytes. On Postgres it includes deleted rows until the next vacuum. */
  usedBytes(): Promise<number>;
  /** Counts of writes by table; undefined if other processes write to the database, too. */
  readonly changes: ChangeCounts | undefined;
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
  readonly poolControl: PoolControl | undefined;
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
  readonly detectsMisuse?: boolean;
}

const MAX_ATTEMPTS = 20;
const MAX_BACKOFF_MS = 200;

/**
 * Opens the store and migrates its tables.
 * @throws UsageError if the database is in use, was created by a newer version, or cannot be reached or written.
 */
export async function openStore(
  location: StoreLocation,
  dependencies: StoreDependencies,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Store> {
  const opened = await openDatabase(location, dependencies);
  const store = createStore(opened, dependencies);
  try {
    await opened.withoutTimeout(() =>
      migrate(store.db.withTables(), opened.name, migrations, dependencies.clock),
    );
    return store;
  } catch (error) {
    await store.close();
    throw 'path' in location ? toUsageError(location.path, error) : error;
  }
}

/** An open database, before the store is built on it. */
type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

async function openDatabase(location: StoreLocation, { onWarn = () => {}, database }: StoreDependencies) {
  if ('path' in location)
    return {
      name: 'sqlite' as const,
      poolControl: undefined,
      withoutTimeout: <T>(work: () => Promise<T>) => work(),
      ...(await openSqliteFile(location.path)),
    };
  return {
    name: 'postgres' as const,
    ...(await openPostgres(location.url, { ...database, onWarn })),
    changes: undefined,
    readSync: undefined,
    problem: () => undefined,
    isInTransaction: () => false,
    release() {},
    close() {},
    backup(_to: string): void {
      throw new UsageError('this command does not back up PostgreSQL databases', {
        hint: 'use pg_dump and pg_restore',
      });
    },
  };
}

/** The transaction of the current async context. All stores share it, because each instance slows down every promise of the process. */
const currentTransaction = new AsyncLocalStorage<{ readonly store: OpenDatabase; isOpen: boolean }>();

function createStore(
  opened: OpenDatabase,
  { clock, random, detectsMisuse = true }: StoreDependencies,
): Store {
  const outboxControl: OutboxControl = {
    outboxSignal: createWakeSignal(),
    outboxCapacity: { refusal: undefined },
  };
  const queue: ConnectionQueue | undefined =
    opened.name === 'sqlite' ? { pending: 0, isLost: false, limitTurn: createTurnLimit(clock) } : undefined;
  /** The fault that ended the last write; undefined if it succeeded. */
  let writeFault: DatabaseFault | undefined;
  let writes = 0;
  const { readSync: read } = opened;
  const readSync: ReadSync | undefined =
    queue &&
    read &&
    ((text, parameters) => (queue.pending === 0 && !queue.isLost ? read(text, parameters) : undefined));
  const db = new Kysely<Database>({
    dialect: guardDialect(opened.dialect, {
      queue,
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

  const shared = {
    dialect: opened.name,
    clock,
    random,
    // Only one service opens the file, so no other process can revoke a key.
    apiKeyCache: opened.name === 'sqlite' ? createApiKeyCache() : undefined,
  };

  async function attempt<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    isolation: TransactionOptions['isolation'],
  ) {
    const callbacks: (() => void)[] = [];
    const result = await db
      .transaction()
      .setIsolationLevel(isolation ?? 'serializable')
      .execute(async (transaction) => {
        const state = { store: opened, isOpen: true };
        const own: StoreContext = {
          ...shared,
          db: transaction,
          readSync: undefined,
          atomically: (inner) => inner(own),
        };
        const tx = Object.assign(createRepositories(own), own, outboxControl, {
          onCommit: (callback: () => void) => void callbacks.push(callback),
        });
        try {
          return await (detectsMisuse ? currentTransaction.run(state, () => work(tx)) : work(tx));
        } finally {
          state.isOpen = false;
        }
      });
    for (const callback of callbacks) callback();
    return result;
  }

  async function transaction<T>(
    work: (tx: StoreTransaction) => Promise<T>,
    { isolation }: TransactionOptions = {},
  ): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(work, isolation);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (attempts === MAX_ATTEMPTS) throw new DatabaseFault('the database is too busy', false, error);
        // Real time, not the injected clock: the conflicting transaction may belong to another process.
        await delay(random.next() * Math.min(MAX_BACKOFF_MS, 2 ** attempts));
      }
    }
  }

  const context = { ...shared, db, readSync, atomically: transaction };
  return Object.assign(createRepositories(context), context, outboxControl, {
    transaction,
    changes: opened.changes,
    poolControl: opened.poolControl,
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

const SIZE = {
  sqlite: sql<{ bytes: number }>`select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
  postgres: sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`,
} as const;

/** Returns the size of the database in bytes. On SQLite free pages do not count, because SQLite reuses them before the file grows. */
async function usedBytes(db: Executor, dialect: DialectName): Promise<number> {
  const { rows } = await SIZE[dialect].execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

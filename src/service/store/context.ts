/** Defines the database with its tables, and the context that every repository is created with. */
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { ApiKeyCache } from './secrets.ts';
import type { EngineTables, MessageTables } from './tables/engine.ts';
import type {
  CheckTypeTables,
  MaintenanceTables,
  ProjectTables,
  ResourceTables,
} from './tables/resources.ts';
import type { SignInTables } from './tables/sign-ins.ts';
import type { PageTables } from './tables/status-pages.ts';

export interface Database
  extends ResourceTables,
    EngineTables,
    MessageTables,
    MaintenanceTables,
    PageTables,
    ProjectTables,
    SignInTables,
    CheckTypeTables {}

/** Runs the statements of repositories: the database or a transaction. */
export type Executor = Kysely<Database> | Transaction<Database>;

/** The kind of database. */
export type DialectName = 'sqlite' | 'postgres';

export interface TransactionOptions {
  /**
   * Isolation level on Postgres; SQLite runs one transaction at a time. Default: `serializable`. Use `read committed`
   * for transactions that lock their own rows (FOR UPDATE SKIP LOCKED).
   */
  readonly isolation?: 'serializable' | 'read committed';
}

/** Runs a read synchronously; see {@link StoreContext.readSync}. */
export type ReadSync = (text: string, parameters: readonly unknown[]) => readonly unknown[] | undefined;

/** The store or a transaction: repositories work the same on both. */
export interface StoreContext {
  /** For repositories only: no other code writes SQL. */
  readonly db: Executor;
  readonly dialect: DialectName;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Runs a read synchronously. Returns undefined if the connection is busy or the read failed: then the caller queues the
   * read through `db`. Undefined on Postgres and within a transaction.
   */
  readonly readSync: ReadSync | undefined;
  /** Cache of recently used API keys; undefined if other processes may revoke them. */
  readonly apiKeyCache: ApiKeyCache | undefined;
  /** Runs `work` in the open transaction, or else in a new one. `work` may run several times. */
  atomically<T>(work: (context: StoreContext) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

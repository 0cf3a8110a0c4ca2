/** Wraps Kysely's dialects so that both databases behave alike and misuse throws instead of failing silently. */
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import type { TurnLimit } from '../../base/turn-limit.ts';
import { asFault, DatabaseFault, toStoreError } from './errors.ts';

/** The queue for the single connection: how many callers hold it or wait for it, and whether it is still usable. */
export interface ConnectionQueue {
  pending: number;
  isLost: boolean;
  /**
   * Awaited before each statement, because the database runs in this process. Its holder retains the connection meanwhile, so
   * that no other statement becomes part of its transaction.
   */
  readonly limitTurn: TurnLimit;
}

export interface GuardOptions {
  /** The queue for the connection, in order of request; undefined if the database has a pool. */
  readonly queue: ConnectionQueue | undefined;
  /** Throws if the caller must not acquire a connection because it is inside a transaction. */
  readonly mayAcquire: () => void;
  /** Called after each stored write that changed rows (with undefined), and after each statement that failed with a database fault. */
  readonly onOutcome: (fault: DatabaseFault | undefined) => void;
  /** Returns whether a failed rollback left the connection without an open transaction. */
  readonly isRolledBack: () => boolean;
}

/**
 * Returns the value to bind: booleans become 0 and 1, because libsql aborts the process otherwise.
 * @throws RangeError for texts with NUL (libsql truncates them, Postgres rejects them) and for numbers that are not finite.
 */
export function toBindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && value.includes('\0')) {
    throw new RangeError('a text with a NUL character cannot be stored');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError(`${value} cannot be stored`);
  }
  return value;
}

/** SQL that changes rows: by its first word, or after a common table expression. */
const CHANGES_ROWS =
  /^\s*(?:(?:insert|update|delete)\b|with\b.*\b(?:insert\s+into|delete\s+from|update\s+\S+(?:\s+as\s+\S+)?\s+set)\b)/is;

/**
 * Returns whether a statement changed rows: one that changed none also succeeds on a full disk, and so does a read. SQLite does
 * not count rows that it returns.
 */
const hasChanged = ({ sql }: CompiledQuery, { numAffectedRows, rows }: QueryResult<unknown>): boolean =>
  CHANGES_ROWS.test(sql) && (numAffectedRows ?? BigInt(rows.length)) > 0n;

/** An acquired connection; after its release it rejects every statement. */
class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly release: () => void;
  readonly onOutcome: GuardOptions['onOutcome'];
  readonly limitTurn: TurnLimit | undefined;
  inTransaction = false;
  hasWritten = false;
  hasStored = false;
  failure: unknown;
  isAcquired = true;

  constructor(inner: DatabaseConnection, release: () => void, { onOutcome, queue }: GuardOptions) {
    this.inner = inner;
    this.release = release;
    this.onOutcome = onOutcome;
    this.limitTurn = queue?.limitTurn;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertAcquired();
    const isWrite = query.query.kind !== 'SelectQueryNode';
    const turn = this.limitTurn?.();
    if (turn !== undefined) await turn;
    try {
      const result = await this.inner.executeQuery<R>({
        ...query,
        parameters: query.parameters.map(toBindable),
      });
      this.hasWritten ||= isWrite;
      const isStored = isWrite && hasChanged(query, result);
      this.hasStored ||= isStored;
      if (isStored && !this.inTransaction) this.onOutcome(undefined);
      return result;
    } catch (error) {
      // A transaction stores nothing before its commit.
      const storeError = toStoreError(error, isWrite && !this.inTransaction);
      if (storeError instanceof DatabaseFault) this.onOutcome(storeError);
      if (this.inTransaction) this.failure ??= storeError;
      throw storeError;
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    this.#assertAcquired();
    yield* this.inner.streamQuery<R>({ ...query, parameters: query.parameters.map(toBindable) }, chunkSize);
  }

  #assertAcquired(): void {
    if (!this.isAcquired) throw new Error('a statement came after its transaction was over: await it inside');
  }
}

function toGuardedConnection(connection: DatabaseConnection): GuardedConnection {
  if (connection instanceof GuardedConnection) return connection;
  throw new Error('the connection is none of the store');
}

class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #options: GuardOptions;
  readonly #connections: Pick<ConnectionQueue, 'pending' | 'isLost'>;
  #queue: Promise<void> = Promise.resolve();

  constructor(inner: Driver, options: GuardOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#connections = options.queue ?? { pending: 0, isLost: false };
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#options.mayAcquire();
    const release = this.#options.queue ? await this.#waitForTurn() : () => {};
    try {
      if (this.#connections.isLost)
        throw new DatabaseFault(
          'the store is lost: a transaction could not be rolled back',
          false,
          undefined,
        );
      return new GuardedConnection(await this.#inner.acquireConnection(), release, this.#options);
    } catch (error) {
      release();
      throw asFault(error, false);
    }
  }

  /** Waits for all earlier callers; resolves to a function that admits the next caller. */
  async #waitForTurn(): Promise<() => void> {
    const before = this.#queue;
    let done: () => void = () => {};
    this.#connections.pending += 1;
    this.#queue = new Promise((resolve) => {
      let isDone = false;
      done = () => {
        if (!isDone) this.#connections.pending -= 1;
        isDone = true;
        resolve();
      };
    });
    await before;
    return done;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const own = toGuardedConnection(connection);
    try {
      await this.#inner.beginTransaction(own.inner, this.#options.queue ? {} : settings);
    } catch (error) {
      throw asFault(error, false);
    }
    own.inTransaction = true;
  }

  /** Throws if a statement failed: Postgres would silently roll back on commit. */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const own = toGuardedConnection(connection);
    if (own.failure !== undefined) throw own.failure;
    try {
      await this.#inner.commitTransaction(own.inner);
    } catch (error) {
      const fault = asFault(error, own.hasWritten);
      if (fault instanceof DatabaseFault) this.#options.onOutcome(fault);
      throw fault;
    }
    if (own.hasStored) this.#options.onOutcome(undefined);
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.rollbackTransaction(toGuardedConnection(connection).inner);
    } catch {
      // A full SQLite database has already rolled back, and a dead Postgres connection leaves its pool.
      this.#connections.isLost = !this.#options.isRolledBack();
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const own = toGuardedConnection(connection);
    own.isAcquired = false;
    try {
      await this.#inner.releaseConnection(own.inner);
    } finally {
      own.release();
    }
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

/** Returns the dialect with a guarded driver. */
export function guardDialect(dialect: Dialect, options: GuardOptions): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new GuardedDriver(dialect.createDriver(), options),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

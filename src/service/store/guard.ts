/** Wraps Kysely's dialects so that both databases behave alike and misuse throws instead of failing silently. */
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import { translated } from './errors.ts';
import { asFault, DatabaseFault } from './faults.ts';

/** The queue for the single connection: how many callers hold it or wait for it, and whether it is still usable. */
export interface Turns {
  taken: number;
  isLost: boolean;
}

export interface GuardOptions {
  /** The queue for the connection, in order of request; undefined if the database has a pool. */
  readonly turns: Turns | undefined;
  /** Throws if the caller must not acquire a connection because it is inside a transaction. */
  readonly mayAcquire: () => void;
  /** Called after each stored write (with undefined), and after each statement that failed with a database fault. */
  readonly onOutcome: (fault: DatabaseFault | undefined) => void;
  /** Returns whether a failed rollback left the connection without an open transaction. */
  readonly isRolledBack: () => boolean;
}

/**
 * Returns the value to bind: booleans become 0 and 1, because libsql aborts the process otherwise.
 * @throws RangeError for texts with NUL (libsql truncates them, Postgres rejects them) and for numbers that are not finite.
 */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && value.includes('\0')) {
    throw new RangeError('a text with a NUL character cannot be stored');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError(`${value} cannot be stored`);
  }
  return value;
}

/** An acquired connection; after its release it rejects every statement. */
class LentConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly giveBack: () => void;
  readonly onOutcome: GuardOptions['onOutcome'];
  inTransaction = false;
  hasWritten = false;
  failure: unknown;
  isLent = true;

  constructor(inner: DatabaseConnection, giveBack: () => void, onOutcome: GuardOptions['onOutcome']) {
    this.inner = inner;
    this.giveBack = giveBack;
    this.onOutcome = onOutcome;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertLent();
    const isWrite = query.query.kind !== 'SelectQueryNode';
    try {
      const found = await this.inner.executeQuery<R>({
        ...query,
        parameters: query.parameters.map(bindable),
      });
      this.hasWritten ||= isWrite;
      if (isWrite && !this.inTransaction) this.onOutcome(undefined);
      return found;
    } catch (error) {
      // A transaction stores nothing before its commit.
      const told = translated(error, isWrite && !this.inTransaction);
      if (told instanceof DatabaseFault) this.onOutcome(told);
      if (this.inTransaction) this.failure ??= told;
      throw told;
    }
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    this.#assertLent();
    yield* this.inner.streamQuery<R>({ ...query, parameters: query.parameters.map(bindable) }, chunkSize);
  }

  #assertLent(): void {
    if (!this.isLent) throw new Error('a statement came after its transaction was over: await it inside');
  }
}

function lent(connection: DatabaseConnection): LentConnection {
  if (connection instanceof LentConnection) return connection;
  throw new Error('the connection is none of the store');
}

class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #options: GuardOptions;
  readonly #turns: Turns;
  #queue: Promise<void> = Promise.resolve();

  constructor(inner: Driver, options: GuardOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#turns = options.turns ?? { taken: 0, isLost: false };
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#options.mayAcquire();
    const giveBack = this.#options.turns ? await this.#turn() : () => {};
    try {
      if (this.#turns.isLost)
        throw new DatabaseFault(
          'the store is lost: a transaction could not be rolled back',
          false,
          undefined,
        );
      return new LentConnection(await this.#inner.acquireConnection(), giveBack, this.#options.onOutcome);
    } catch (error) {
      giveBack();
      throw asFault(error, false);
    }
  }

  /** Waits for all earlier callers; resolves to a function that admits the next caller. */
  async #turn(): Promise<() => void> {
    const before = this.#queue;
    let done: () => void = () => {};
    this.#turns.taken += 1;
    this.#queue = new Promise((resolve) => {
      let isDone = false;
      done = () => {
        if (!isDone) this.#turns.taken -= 1;
        isDone = true;
        resolve();
      };
    });
    await before;
    return done;
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const own = lent(connection);
    try {
      await this.#inner.beginTransaction(own.inner, this.#options.turns ? {} : settings);
    } catch (error) {
      throw asFault(error, false);
    }
    own.inTransaction = true;
  }

  /** Throws if a statement failed: Postgres would silently roll back on commit. */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const own = lent(connection);
    if (own.failure !== undefined) throw own.failure;
    try {
      await this.#inner.commitTransaction(own.inner);
    } catch (error) {
      const told = asFault(error, own.hasWritten);
      if (told instanceof DatabaseFault) this.#options.onOutcome(told);
      throw told;
    }
    if (own.hasWritten) this.#options.onOutcome(undefined);
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.rollbackTransaction(lent(connection).inner);
    } catch {
      // A full SQLite database has already rolled back, and a dead Postgres connection leaves its pool.
      this.#turns.isLost = !this.#options.isRolledBack();
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const own = lent(connection);
    own.isLent = false;
    try {
      await this.#inner.releaseConnection(own.inner);
    } finally {
      own.giveBack();
    }
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

/** Returns the dialect with a guarded driver. */
export function guarded(dialect: Dialect, options: GuardOptions): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new GuardedDriver(dialect.createDriver(), options),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

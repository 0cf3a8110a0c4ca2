/** A layer between Kysely and its drivers that makes both databases behave alike and misuse loud instead of silent. */
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

/** How many have the one connection or wait for it, and whether it is of any use. */
export interface Turns {
  taken: number;
  isLost: boolean;
}

/** What the guard must know of the database underneath. */
export interface GuardOptions {
  /** Only one connection exists: it is lent in the order of asking, and who has it is noted here. */
  readonly turns: Turns | undefined;
  /** Throws where the caller must not ask for a connection (it is inside a transaction already). */
  readonly mayAcquire: () => void;
  /** Told of each write that is stored (undefined), and of each statement that a fault of the database ended. */
  readonly onOutcome: (fault: DatabaseFault | undefined) => void;
  /** Whether a roll-back that failed left the connection without an open transaction. */
  readonly isRolledBack: () => boolean;
}

/**
 * What is sent for a value: booleans as 0 and 1 (libsql would abort the process), never NUL (libsql would cut the
 * string there, Postgres refuses it), never a number that isn't one.
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

/** A connection as it was lent once; it answers nobody after it has been given back. */
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
      // Within a transaction nothing is stored before its commit.
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

  /** Waits for everyone who asked before; resolves to what lets the next one in. */
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

  /** Refuses where a statement failed: Postgres would answer such a commit with a silent roll-back. */
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
      // A database that is out of space has rolled back by itself; a dead Postgres connection leaves its pool.
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

/** The dialect with its driver guarded: see {@link GuardOptions}. */
export function guarded(dialect: Dialect, options: GuardOptions): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => new GuardedDriver(dialect.createDriver(), options),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/** Opens the connection pool. A connection that failed or did not respond is dropped and never reused. */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { faultSentence } from '../errors.ts';
import { clientConfig, LIMITS, loadDriver, type PostgresClient, runQuery, SETTINGS } from './client.ts';

/** `bigint` and `numeric` (sums and counts): all values of the store fit a number. */
const NUMBER_TYPES = new Set([20, 1700]);

/** Time for a graceful disconnect, in ms; then the sockets are closed. */
const DISCONNECT_MS = 500;

/** Lets the database monitor drop connections of the pool. */
export interface PoolControl {
  /** Drops connections without a response for this time, in ms, including idle and connecting ones. */
  dropSilent(ms: number): void;
  /** Drops every connection, and opens no more: pending queries fail immediately. */
  abort(): void;
  isAborted(): boolean;
}

/** An acquired connection. */
class AcquiredConnection implements PostgresPoolClient {
  readonly #client: PostgresClient;
  readonly #release: (failure: Error | undefined) => void;
  readonly #queryMs: () => number;
  #failure: Error | undefined;

  constructor(client: PostgresClient, release: (failure: Error | undefined) => void, queryMs: () => number) {
    this.#client = client;
    this.#release = release;
    this.#queryMs = queryMs;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new Error('the store reads without cursors');
    return this.#query<R>(text, parameters);
  }

  async #query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const client = this.#client;
    try {
      const query = { text, values: [...values], query_timeout: this.#queryMs() };
      const result = await client.query(query);
      client.lastResponseAt = performance.now();
      return result as unknown as PostgresQueryResult<R>;
    } catch (error) {
      if (faultSentence(error) !== undefined) {
        this.#failure ??= error as Error;
        // The rollback that follows must not wait for another timeout.
        if (!('code' in (error as Error))) client.drop();
      }
      throw error;
    }
  }

  release(): void {
    this.#release(this.#failure);
  }
}

export interface ConnectionPool {
  readonly pool: PostgresPool;
  readonly poolControl: PoolControl;
  /** Runs `work` without a query timeout: migrations of large databases take long. */
  withoutTimeout<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens a pool with at most `maxConnections` connections. It connects on first use. */
export async function openPool(
  url: string,
  maxConnections: number,
  onWarn: (message: string) => void,
): Promise<ConnectionPool> {
  const { pg, DroppableClient } = await loadDriver();
  const clients = new Set<PostgresClient>();
  const waiting = new Set<(error: Error) => void>();
  let isAborted = false;
  let queryMs: number = LIMITS.query;

  class PooledClient extends DroppableClient {
    constructor(config: ConstructorParameters<typeof DroppableClient>[0]) {
      super(config);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  const pool = new pg.Pool({
    ...clientConfig(url),
    max: maxConnections,
    idleTimeoutMillis: LIMITS.idle,
    Client: PooledClient as unknown as new () => PostgresClient,
    onConnect: (client) =>
      runQuery(client as PostgresClient, SETTINGS, LIMITS.connect) as unknown as undefined,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBER_TYPES.has(oid) ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
    },
  });
  pool.on('error', (error) => onWarn(`the database ended a connection: ${error.message}`));

  const acquire = (client: PoolClient): PostgresPoolClient =>
    new AcquiredConnection(
      client as unknown as PostgresClient,
      (failure) => client.release(failure),
      () => queryMs,
    );

  return {
    pool: {
      connect: () =>
        new Promise((resolve, reject) => {
          if (isAborted) return reject(new Error('Connection terminated'));
          waiting.add(reject);
          pool.connect().then(
            (client) => {
              if (waiting.delete(reject)) resolve(acquire(client));
              else client.release(true);
            },
            (error: Error) => {
              waiting.delete(reject);
              reject(error);
            },
          );
          return undefined;
        }),
      async end() {
        const late = setTimeout(dropAll, DISCONNECT_MS);
        await pool.end();
        clearTimeout(late);
      },
    },
    poolControl: {
      dropSilent(ms) {
        const since = performance.now() - ms;
        for (const client of clients) if (client.lastResponseAt < since) client.drop();
      },
      isAborted: () => isAborted,
      abort() {
        isAborted = true;
        for (const reject of waiting) reject(new Error('Connection terminated'));
        waiting.clear();
        dropAll();
      },
    },
    async withoutTimeout(work) {
      queryMs = 0;
      try {
        return await work();
      } finally {
        queryMs = LIMITS.query;
      }
    },
  };

  function dropAll(): void {
    for (const client of clients) client.drop();
  }
}

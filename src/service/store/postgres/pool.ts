/** Opens the connection pool. A connection that failed or did not respond is dropped and never reused. */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import { faultSentence } from '../faults.ts';
import { ask, configOf, type LinkClient, loadDriver } from './client.ts';
import { LIMITS, SETTINGS } from './limits.ts';

/** `bigint` and `numeric` (sums and counts): all values of the store fit a number. */
const NUMBER_TYPES = new Set([20, 1700]);

/** Time for a graceful disconnect, in ms; then the sockets are closed. */
const GOODBYE_MS = 500;

/** Lets the database monitor drop connections of the pool. */
export interface Link {
  /** Drops connections without a response for this time, in ms, including idle and connecting ones. */
  dropSilent(ms: number): void;
  /** Drops every connection, and opens no more: pending queries fail immediately. */
  cut(): void;
  isCut(): boolean;
}

/** An acquired connection. */
class Lease implements PostgresPoolClient {
  readonly #client: LinkClient;
  readonly #giveBack: (failure: Error | undefined) => void;
  readonly #queryMs: () => number;
  #failure: Error | undefined;

  constructor(client: LinkClient, giveBack: (failure: Error | undefined) => void, queryMs: () => number) {
    this.#client = client;
    this.#giveBack = giveBack;
    this.#queryMs = queryMs;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new Error('the store reads without cursors');
    return this.#ask<R>(text, parameters);
  }

  async #ask<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const client = this.#client;
    try {
      const query = { text, values: [...values], query_timeout: this.#queryMs() };
      const found = await client.query(query);
      client.heardAt = performance.now();
      return found as unknown as PostgresQueryResult<R>;
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
    this.#giveBack(this.#failure);
  }
}

export interface OwnPool {
  readonly pool: PostgresPool;
  readonly link: Link;
  /** Runs `work` without a query timeout: migrations of large databases take long. */
  unhurried<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens a pool with at most `most` connections. It connects on first use. */
export async function openPool(
  url: string,
  most: number,
  onWarn: (message: string) => void,
): Promise<OwnPool> {
  const { pg, OwnClient } = await loadDriver();
  const clients = new Set<LinkClient>();
  const waiting = new Set<(error: Error) => void>();
  let isCut = false;
  let queryMs: number = LIMITS.query.ms;

  class PooledClient extends OwnClient {
    constructor(config: ConstructorParameters<typeof OwnClient>[0]) {
      super(config);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  }
  const pool = new pg.Pool({
    ...configOf(url),
    max: most,
    idleTimeoutMillis: LIMITS.idle.ms,
    Client: PooledClient as unknown as new () => LinkClient,
    onConnect: (client) => ask(client as LinkClient, SETTINGS, LIMITS.connect.ms) as unknown as undefined,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBER_TYPES.has(oid) ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
    },
  });
  pool.on('error', (error) => onWarn(`the database ended a connection: ${error.message}`));

  const lease = (client: PoolClient): PostgresPoolClient =>
    new Lease(
      client as unknown as LinkClient,
      (failure) => client.release(failure),
      () => queryMs,
    );

  return {
    pool: {
      connect: () =>
        new Promise((resolve, reject) => {
          if (isCut) return reject(new Error('Connection terminated'));
          waiting.add(reject);
          pool.connect().then(
            (client) => {
              if (waiting.delete(reject)) resolve(lease(client));
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
        const late = setTimeout(dropAll, GOODBYE_MS);
        await pool.end();
        clearTimeout(late);
      },
    },
    link: {
      dropSilent(ms) {
        const since = performance.now() - ms;
        for (const client of clients) if (client.heardAt < since) client.drop();
      },
      isCut: () => isCut,
      cut() {
        isCut = true;
        for (const reject of waiting) reject(new Error('Connection terminated'));
        waiting.clear();
        dropAll();
      },
    },
    async unhurried(work) {
      queryMs = 0;
      try {
        return await work();
      } finally {
        queryMs = LIMITS.query.ms;
      }
    },
  };

  function dropAll(): void {
    for (const client of clients) client.drop();
  }
}

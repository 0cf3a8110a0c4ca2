/** Connects clients to Postgres that never crash the process and can be dropped immediately. */
import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { UsageError } from '../../../base/errors.ts';

/** Timeouts of connections, in ms. */
export const LIMITS = {
  /** A server that accepts a connection and never answers must not hold the requests that wait. */
  connect: 5000,
  /** The system then notices that the peer of an idle connection is gone. */
  keepAlive: 10_000,
  /** A service without load leaves its connections to others. */
  idle: 30_000,
  /** A half-open connection gives no answer. Longer than `statement_timeout`, so that a server that lives says why. */
  query: 35_000,
  /** With `probe` it keeps /ready true within 2 s of a fault. */
  probeEvery: 300,
  /** A database that takes longer for "select 1" serves nobody. */
  probe: 1200,
  /** After a probe failed, a connection without any answer for so long is considered dead. */
  silence: 3000,
} as const;

/** Settings that the server enforces for each connection. */
const SERVER_SETTINGS = {
  /** The server stops a statement that nobody waits for any more, in ms. */
  statement_timeout: 30_000,
  /** One transaction that holds a row must not block every connection of the pool, in ms. */
  lock_timeout: 10_000,
  /** A service that lost its link must not hold row locks on the server, in ms. */
  idle_in_transaction_session_timeout: 10_000,
  // How the server detects dead clients, in seconds, to release their locks.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** The first statements of a new connection. PgBouncer rejects unknown settings as connection parameters. */
export const SETTINGS: string = Object.entries(SERVER_SETTINGS)
  .map(([setting, value]) => `set ${setting} = ${value}`)
  .join('; ');

/** A client of the driver with these additions. */
export interface PostgresClient extends Client {
  /** Time of the last response (`performance.now()`); initially the time of creation. */
  lastResponseAt: number;
  /** Closes the socket without notifying the server: pending queries fail immediately. */
  drop(): void;
}

export type PostgresClientClass = new (config?: ClientConfig) => PostgresClient;

export const URL_HINT = 'see SONDE_DATABASE_URL: postgres://user:password@host:port/database';

/** Returns host and path of a database URL, without the password. */
export function formatAddress(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'the given URL';
  }
}

/** Returns the settings of every connection. The URL may override the application name. */
export const clientConfig = (url: string, connectMs: number = LIMITS.connect): ClientConfig => ({
  connectionString: url,
  fallback_application_name: 'sonde service',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: LIMITS.keepAlive,
});

/** Loads the driver, and defines the client class on it. */
export async function loadDriver() {
  const { default: pg } = await import('pg');
  class DroppableClient extends pg.Client implements PostgresClient {
    lastResponseAt = performance.now();
    readonly #socket: Socket;

    constructor(config: ClientConfig = {}) {
      const socket = new Socket();
      super({ ...config, stream: () => socket });
      this.#socket = socket;
      // An unhandled error event ends the process. Pending queries are rejected anyway.
      this.on('error', () => {});
    }

    drop(): void {
      this.#socket.destroy();
    }
  }
  return { pg, DroppableClient };
}

/** Connects a client with the settings of {@link SETTINGS}, and drops it if that fails. */
export async function connectClient(
  url: string,
  connectMs: number = LIMITS.connect,
): Promise<PostgresClient> {
  const { DroppableClient } = await loadDriver();
  const client = createClient(DroppableClient, clientConfig(url, connectMs));
  try {
    await client.connect();
    await runQuery(client, SETTINGS, connectMs);
    return client;
  } catch (error) {
    client.drop();
    throw error;
  }
}

/** @throws UsageError if the URL is malformed. */
function createClient(DroppableClient: PostgresClientClass, config: ClientConfig): PostgresClient {
  try {
    return new DroppableClient(config);
  } catch (error) {
    throw new UsageError('the database URL must start with postgres://', { hint: URL_HINT, cause: error });
  }
}

/** Runs a query with a timeout, and drops the client if it fails. */
export async function runQuery<Row extends object>(
  client: PostgresClient,
  text: string,
  ms: number,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  // Without values the text may contain several statements.
  const query = { text, query_timeout: ms, ...(values.length > 0 ? { values: [...values] } : {}) };
  try {
    const { rows } = await client.query<Row>(query);
    client.lastResponseAt = performance.now();
    return rows;
  } catch (error) {
    client.drop();
    throw error;
  }
}

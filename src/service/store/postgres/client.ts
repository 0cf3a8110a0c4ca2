/** Connects clients to Postgres that never crash the process and can be dropped immediately. */
import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { UsageError } from '../../../base/errors.ts';
import { LIMITS, SETTINGS } from './limits.ts';

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
export const clientConfig = (url: string, connectMs: number = LIMITS.connect.ms): ClientConfig => ({
  connectionString: url,
  fallback_application_name: 'sonde service',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: LIMITS.keepAlive.ms,
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
  connectMs: number = LIMITS.connect.ms,
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

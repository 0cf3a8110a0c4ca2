/** A connection to Postgres that never ends the process, and that can be dropped at once. */
import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { UsageError } from '../../../base/errors.ts';
import { LIMITS, SETTINGS } from './limits.ts';

/** A client of the driver, besides. */
export interface LinkClient extends Client {
  /** When the server was last heard, by `performance.now()`; at first when the client was made. */
  heardAt: number;
  /** Closes the socket without a word to the server: what is under way fails at once. */
  drop(): void;
}

export type LinkClientClass = new (config?: ClientConfig) => LinkClient;

export const HINT = 'see SONDE_DATABASE_URL: postgres://user:password@host:port/database';

/** Where a URL leads, without the password. */
export function addressOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'the given URL';
  }
}

/** Returns the settings of every connection. The URL may set another name. */
export const configOf = (url: string, connectMs: number = LIMITS.connect.ms): ClientConfig => ({
  connectionString: url,
  fallback_application_name: 'sonde service',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: LIMITS.keepAlive.ms,
});

/** Loads the driver. */
export async function loadDriver() {
  const { default: pg } = await import('pg');
  class OwnClient extends pg.Client implements LinkClient {
    heardAt = performance.now();
    readonly #socket: Socket;

    constructor(config: ClientConfig = {}) {
      const socket = new Socket();
      super({ ...config, stream: () => socket });
      this.#socket = socket;
      // An error event that nobody listens to ends the process. Whoever waits for the client is told by a rejection.
      this.on('error', () => {});
    }

    drop(): void {
      this.#socket.destroy();
    }
  }
  return { pg, OwnClient };
}

/** Connects one client, with the settings of {@link SETTINGS}. Drops it where that fails. */
export async function connectClient(url: string, connectMs: number = LIMITS.connect.ms): Promise<LinkClient> {
  const { OwnClient } = await loadDriver();
  const client = newClient(OwnClient, configOf(url, connectMs));
  try {
    await client.connect();
    await ask(client, SETTINGS, connectMs);
    return client;
  } catch (error) {
    client.drop();
    throw error;
  }
}

/** @throws UsageError where the URL is malformed. */
function newClient(OwnClient: LinkClientClass, config: ClientConfig): LinkClient {
  try {
    return new OwnClient(config);
  } catch (error) {
    throw new UsageError('the database URL must start with postgres://', { hint: HINT, cause: error });
  }
}

/** Asks with a limit of time, and drops the client where no answer came. */
export async function ask<Row extends object>(
  client: LinkClient,
  text: string,
  ms: number,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  // Without values it may be several statements.
  const query = { text, query_timeout: ms, ...(values.length > 0 ? { values: [...values] } : {}) };
  try {
    const { rows } = await client.query<Row>(query);
    client.heardAt = performance.now();
    return rows;
  } catch (error) {
    client.drop();
    throw error;
  }
}

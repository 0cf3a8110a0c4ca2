/** The store on a Postgres server: a pool whose numbers arrive as numbers. */
import { type Dialect, PostgresDialect } from 'kysely';
import { UsageError } from '../../base/errors.ts';
import { codeOf } from './errors.ts';

const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/** `bigint` and `numeric` (what sums and counts are): all of ours fit a number. */
const NUMBER_TYPES = new Set([20, 1700]);

/** Where it leads, without the password. */
function address(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'the given URL';
  }
}

const HINT = 'look at SONDE_DATABASE_URL: postgres://user:password@host:port/database';

/**
 * Connects once, so that a wrong address is told at start.
 * @throws UsageError that names the server (never the password) where it can't be reached.
 */
export async function openPostgres(url: string, onWarn: (message: string) => void): Promise<Dialect> {
  // The driver would look for a host called "base" in what is no URL.
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new UsageError('the database is not named by a URL of Postgres', { hint: HINT });
  }
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBER_TYPES.has(oid) ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
    },
  });
  // A server that ends an idle connection must not end the service: the pool makes another.
  pool.on('error', (error) => onWarn(`the database ended a connection: ${error.message}`));
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    const reason = error instanceof Error && error.message !== '' ? error.message : codeOf(error);
    throw new UsageError(`the database at ${address(url)} cannot be used: ${reason ?? 'no answer'}`, {
      hint: HINT,
      cause: error,
    });
  }
  return new PostgresDialect({ pool });
}

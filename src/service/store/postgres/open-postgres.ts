/** Opens a Postgres database: waits until the server responds, and rejects unusable configurations. */
import { type Dialect, PostgresDialect } from 'kysely';
import type { AbortSignalLike } from '../../../base/abort.ts';
import { systemClock } from '../../../base/clock.ts';
import { NetworkError, SondeError, UsageError } from '../../../base/errors.ts';
import { codeOf, faultSentence } from '../errors.ts';
import { connectClient, formatAddress, LIMITS, type PostgresClient, runQuery, URL_HINT } from './client.ts';
import { openPool } from './pool.ts';

const DEFAULT_CONNECTIONS = 10;
/** Pause between two connection attempts, in ms. */
const RETRY_MS = 500;
/** Larger shares of the server's connections cause a warning, because other clients need some, too. */
const FAIR_SHARE = 0.5;

export interface PostgresOptions {
  /** Maximum number of connections in the pool; default: 10. */
  readonly connections?: number | undefined;
  /** How long to wait for a server that does not respond, in ms; default: 0. */
  readonly waitMs?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignalLike | undefined;
  readonly onWarn: (message: string) => void;
}

/**
 * Connects once, so that a wrong address fails at startup, and opens the pool.
 * @throws UsageError if the configuration cannot work, NetworkError if no server responded in time. Both name the server, never
 * the password.
 */
export async function openPostgres(url: string, options: PostgresOptions) {
  // The driver would resolve the host "base" for a text that is not a URL.
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new UsageError('the database URL must start with postgres://', { hint: URL_HINT });
  }
  const { connections = DEFAULT_CONNECTIONS, onWarn } = options;
  const most = await waitForServer(url, options);
  if (connections > most * FAIR_SHARE) {
    onWarn(
      `the service may open ${connections} connections, but the database accepts only ${most} from all clients: lower --database-connections, or raise max_connections`,
    );
  }
  const { pool, ...rest } = await openPool(url, connections, onWarn);
  const dialect: Dialect = new PostgresDialect({ pool });
  return { ...rest, dialect };
}

/** Waits for the server; returns how many connections it accepts. */
async function waitForServer(url: string, { waitMs = 0, signal, onWarn }: PostgresOptions): Promise<number> {
  const deadline = systemClock.monotonic() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      // The first attempt has the whole limit: without a wait, it is the only one.
      const left = isFirst ? LIMITS.connect : deadline - systemClock.monotonic();
      return await probeServer(url, Math.max(RETRY_MS, Math.min(LIMITS.connect, left)));
    } catch (error) {
      if (error instanceof SondeError) throw error;
      const reason = formatReason(error);
      const database = `the database at ${formatAddress(url)}`;
      if (faultSentence(error) === undefined)
        throw new UsageError(`${database} cannot be used: ${reason}`, { hint: URL_HINT, cause: error });
      const left = deadline - systemClock.monotonic();
      if (left <= 0) {
        throw new NetworkError(
          `${database} is not reachable: ${reason}`,
          {},
          { hint: `start PostgreSQL, or set --database-wait to wait for it\n${URL_HINT}`, cause: error },
        );
      }
      if (isFirst) onWarn(`waiting up to ${Math.ceil(waitMs / 1000)} s for ${database}: ${reason}`);
      await systemClock.sleep(Math.min(RETRY_MS, left), signal);
    }
  }
}

const formatReason = (error: unknown): string =>
  (error instanceof Error && error.message !== '' ? error.message : codeOf(error)) ?? 'no response';

async function probeServer(url: string, connectMs: number): Promise<number> {
  const client = await connectClient(url, connectMs);
  try {
    await assertSessionPooling(url, client);
    const [row] = await runQuery<{ most: number }>(
      client,
      "select current_setting('max_connections')::int as most",
      LIMITS.connect,
    );
    return row?.most ?? Number.POSITIVE_INFINITY;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A pooler may assign the same session several times by chance. */
const ROUNDS = 5;
const NAME = 'sonde.session';

type Setting = { readonly value: string | null };

const read = async (client: PostgresClient): Promise<string | null | undefined> =>
  (await runQuery<Setting>(client, `select current_setting('${NAME}', true) as value`, LIMITS.connect))[0]
    ?.value;

/** Returns whether a setting of one connection is lost, or visible to another connection. */
async function sharesSessions(one: PostgresClient, other: PostgresClient, value: string): Promise<boolean> {
  await runQuery(one, `select set_config('${NAME}', '${value}', false)`, LIMITS.connect);
  // The open transaction occupies a session, so that the pooler must assign another.
  await runQuery(other, 'begin', LIMITS.connect);
  if ((await read(other)) === value) return true;
  const isLost = (await read(one)) !== value;
  await runQuery(other, 'commit', LIMITS.connect);
  return isLost;
}

/**
 * Detects a connection pooler without session pooling, such as PgBouncer in the modes `transaction` and `statement`. LISTEN,
 * advisory locks and settings do not work with it.
 * @throws UsageError if the connection goes through such a pooler.
 */
async function assertSessionPooling(url: string, one: PostgresClient): Promise<void> {
  const [own] = await runQuery<{ pid: number }>(one, 'select pg_backend_pid() as pid', LIMITS.connect);
  // On connect, the server reports the process that serves the connection. A pooler reports another number.
  if (own?.pid === (one as unknown as { readonly processID: number | null }).processID) return;
  const other = await connectClient(url);
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      if (await sharesSessions(one, other, `round ${round}`)) throw poolerError();
  } catch (error) {
    // The mode `statement` rejects transactions.
    throw /transaction blocks not allowed/i.test(String(error)) ? poolerError() : error;
  } finally {
    other.drop();
  }
}

const poolerError = (): UsageError =>
  new UsageError(
    'SONDE_DATABASE_URL points to a connection pooler without session pooling (PgBouncer in transaction or statement mode)',
    {
      hint: 'connect to PostgreSQL directly, or set pool_mode = session: sonde uses LISTEN and advisory locks',
    },
  );

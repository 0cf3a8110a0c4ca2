/**
 * Connects services that share a Postgres database, over a dedicated connection. It receives the ends of sessions in other
 * processes (LISTEN), follows the database's clock, and detects other services by a shared advisory lock that each holds.
 */
import type { Clock } from '../../../base/clock.ts';
import { asFault } from '../errors.ts';
import { LIMITS, runQuery } from '../postgres/client.ts';
import type { FollowingClock } from '../postgres/following-clock.ts';
import type { PoolControl } from '../postgres/pool.ts';
import { type DatabaseState, watchDatabase } from '../postgres/watch-database.ts';
import { ENDED_CHANNEL } from './sessions.ts';

export interface PeersOptions {
  /** Called after a session or test session ended and its end is committed. */
  readonly onEnded: (id: string) => void;
  /** Called after a reconnect: ends may have been missed. */
  readonly onReconnect: () => void;
  readonly onError: (message: string, error: unknown) => void;
}

export interface Peers {
  /** Runs `work` if no other service uses the database, and blocks others from starting meanwhile. Returns whether it ran. */
  runExclusively(work: () => Promise<void>): Promise<boolean>;
  /** Returns the state of the database, as observed by the connection. */
  state(): DatabaseState;
  close(): void;
}

/** The advisory lock of the services in a schema of a database. */
const LOCK = `hashtext('sonde services'), hashtext(coalesce(current_schema(), ''))`;

/** Listens until it is closed, and reconnects after a connection loss. Resolves once it listens. */
export async function connectPeers(
  url: string,
  clock: Clock | FollowingClock,
  { onEnded, onReconnect, onError }: PeersOptions,
  pool?: PoolControl,
): Promise<Peers> {
  const watch = await watchDatabase({
    url,
    pool,
    onReconnect,
    onError,
    ...('machine' in clock ? { clock: clock.machine, onOffset: clock.follow } : { clock }),
    onNotification: onEnded,
    async prepare(client) {
      await runQuery(client, `listen ${ENDED_CHANNEL}`, LIMITS.connect);
      // Another service may hold the exclusive lock for a while.
      await runQuery(client, 'set lock_timeout = 0', LIMITS.connect);
      await runQuery(client, `select pg_advisory_lock_shared(${LOCK})`, LIMITS.query);
    },
  }).catch((error) => {
    throw asFault(error, false);
  });
  return {
    state: watch.state,
    close: watch.close,
    async runExclusively(work) {
      const rows = await watch.query<{ isAlone: boolean }>(
        `select pg_try_advisory_lock(${LOCK}) as "isAlone"`,
      );
      if (rows[0]?.isAlone !== true) return false;
      try {
        await work();
      } finally {
        // A lost connection has already released the lock.
        await watch.query(`select pg_advisory_unlock(${LOCK})`).catch(() => {});
      }
      return true;
    },
  };
}

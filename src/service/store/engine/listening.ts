/**
 * What services that share a Postgres database know of each other, by a connection of its own: of sessions that ended, whichever
 * process ended them (LISTEN), by how much its clock differs, and whether there is any other service (an advisory lock that each holds as long as it lives).
 */
import type { Clock } from '../../../base/clock.ts';
import { asFault } from '../faults.ts';
import { ask } from '../postgres/client.ts';
import type { FollowingClock } from '../postgres/following-clock.ts';
import { LIMITS } from '../postgres/limits.ts';
import type { Link } from '../postgres/pool.ts';
import { type DatabaseState, watchDatabase } from '../postgres/watch.ts';
import { ENDED_CHANNEL } from './sessions.ts';

export interface Listening {
  /** A session or test session has ended; its end is committed. */
  readonly onEnded: (id: string) => void;
  /** The connection is there again: ends may have been missed meanwhile. */
  readonly onReconnect: () => void;
  readonly onError: (message: string, error: unknown) => void;
}

export interface Neighbours {
  /** Does the work unless another service uses the database, and keeps any from starting meanwhile; tells whether it did. */
  whileAlone(work: () => Promise<void>): Promise<boolean>;
  /** How the database does, as the connection finds it. */
  state(): DatabaseState;
  close(): void;
}

/** The lock of the services in a schema of a database. */
const LOCK = `hashtext('sonde services'), hashtext(coalesce(current_schema(), ''))`;

/** Listens until it is closed; connects again whenever the connection is lost. Resolves once it listens for the first time. */
export async function listenForEnds(
  url: string,
  clock: Clock | FollowingClock,
  { onEnded, onReconnect, onError }: Listening,
  link?: Link,
): Promise<Neighbours> {
  const watch = await watchDatabase({
    ...{ url, link, onReconnect, onError },
    ...('machine' in clock ? { clock: clock.machine, onOffset: clock.follow } : { clock }),
    onNotification: onEnded,
    async prepare(client) {
      await ask(client, `listen ${ENDED_CHANNEL}`, LIMITS.connect.ms);
      // Another service may be alone for a while.
      await ask(client, 'set lock_timeout = 0', LIMITS.connect.ms);
      await ask(client, `select pg_advisory_lock_shared(${LOCK})`, LIMITS.query.ms);
    },
  }).catch((error) => {
    throw asFault(error, false);
  });
  return {
    state: watch.state,
    close: watch.close,
    async whileAlone(work) {
      const asked = await watch.ask<{ isAlone: boolean }>(
        `select pg_try_advisory_lock(${LOCK}) as "isAlone"`,
      );
      if (asked[0]?.isAlone !== true) return false;
      try {
        await work();
      } finally {
        // Where the connection was lost, so was the lock.
        await watch.ask(`select pg_advisory_unlock(${LOCK})`).catch(() => {});
      }
      return true;
    },
  };
}

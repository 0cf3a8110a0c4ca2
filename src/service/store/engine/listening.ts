/**
 * What services that share a Postgres database know of each other, by a connection of its own: of sessions that ended, whichever
 * process ended them (LISTEN), and whether there is any other service (an advisory lock that each holds as long as it lives).
 */
import type { Client } from 'pg';
import type { Clock } from '../../../base/clock.ts';
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
  close(): Promise<void>;
}

/** Rests so long before it connects again, in ms. */
const REST_MS = 1000;
/** The lock of the services in a schema of a database. */
const LOCK = `hashtext('sonde services'), hashtext(coalesce(current_schema(), ''))`;

/** Listens until it is closed; connects again whenever the connection is lost. Resolves once it listens for the first time. */
export async function listenForEnds(
  url: string,
  clock: Clock,
  { onEnded, onReconnect, onError }: Listening,
): Promise<Neighbours> {
  const { default: pg } = await import('pg');
  const closing = new AbortController();
  let client: Client | undefined;

  async function connect(): Promise<void> {
    const own = new pg.Client({ connectionString: url });
    client = own;
    own.on('notification', ({ payload }) => {
      if (payload !== undefined) onEnded(payload);
    });
    const lost = new Promise<void>((resolve) => own.once('end', () => resolve()));
    own.on('error', (error) => onError('the connection that tells of ended sessions was lost', error));
    await own.connect();
    await own.query(`listen ${ENDED_CHANNEL}`);
    await own.query(`select pg_advisory_lock_shared(${LOCK})`);
    void lost.then(again);
  }

  async function again(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await clock.sleep(REST_MS, closing.signal);
        await connect();
        onReconnect();
        return;
      } catch (error) {
        if (!closing.signal.aborted) onError('the database cannot tell of ended sessions', error);
      }
    }
  }

  await connect();
  return {
    async whileAlone(work) {
      const own = client;
      const asked = await own?.query<{ isAlone: boolean }>(
        `select pg_try_advisory_lock(${LOCK}) as "isAlone"`,
      );
      if (asked?.rows[0]?.isAlone !== true) return false;
      try {
        await work();
      } finally {
        await own?.query(`select pg_advisory_unlock(${LOCK})`);
      }
      return true;
    },
    async close() {
      closing.abort();
      await client?.end();
    },
  };
}

/** Hears of sessions that ended, whichever process ended them: Postgres' LISTEN on a connection of its own. */
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

/** Rests so long before it connects again, in ms. */
const REST_MS = 1000;

/** Listens until it is closed; connects again whenever the connection is lost. Resolves once it listens for the first time. */
export async function listenForEnds(
  url: string,
  clock: Clock,
  { onEnded, onReconnect, onError }: Listening,
): Promise<{ close(): Promise<void> }> {
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
    async close() {
      closing.abort();
      await client?.end();
    },
  };
}

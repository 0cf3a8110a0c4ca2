/**
 * Monitors the Postgres database by probing a dedicated connection. It reconnects when the connection is lost or does not
 * respond, and drops silent connections of the pool.
 */
import { type Clock, systemClock } from '../../../base/clock.ts';
import { asFault, faultSentence } from '../errors.ts';
import { connectClient, LIMITS, type PostgresClient, runQuery } from './client.ts';
import type { PoolControl } from './pool.ts';

export interface WatchOptions {
  readonly url: string;
  /** The clock of the machine, to compare with the server's. */
  readonly clock: Clock;
  /** Called with the offset of the server's clock after each measurement. Undefined if the service uses its machine's clock. */
  readonly onOffset?: ((offsetMs: number) => void) | undefined;
  /** The pool to drop silent connections from, if any. */
  readonly pool?: PoolControl | undefined;
  /** Prepares each new connection. */
  readonly prepare: (client: PostgresClient) => Promise<void>;
  readonly onNotification: (payload: string) => void;
  /** Called after a reconnect. */
  readonly onReconnect: () => void;
  readonly onError: (message: string, error: unknown) => void;
}

export interface DatabaseState {
  /** Why the database cannot be used, as a sentence fit for the public; undefined if it can. */
  readonly problem: string | undefined;
  /** Offset of the server's clock to the machine's, in ms; undefined before the first measurement. */
  readonly clockOffsetMs: number | undefined;
}

export interface DatabaseWatch {
  state(): DatabaseState;
  /** Runs a query on the connection, one at a time. Rejects if there is no connection. */
  query<Row extends object>(text: string): Promise<readonly Row[]>;
  close(): void;
}

/** Pause before a reconnect, in ms. */
const RECONNECT_DELAY_MS = 250;
/** Timeout of a reconnect, in ms: it takes several round trips. */
const RECONNECT_TIMEOUT_MS = 2000;
/** How long after a failed probe silent connections of the pool are dropped, in ms. */
const SUSPICION_MS = 10_000;
const MEASURE_EVERY_MS = 60_000;
/** Larger clock offsets cause a warning, in ms. */
export const CLOCK_TOLERANCE_MS = 2000;

/** Monitors the database until it is closed. Rejects if the first connection fails. */
export async function watchDatabase(options: WatchOptions): Promise<DatabaseWatch> {
  const { url, clock, pool, prepare, onError, onOffset } = options;
  // Real time, not the injected clock, which tests change.
  const { monotonic, sleep } = systemClock;
  let isClosed = false;
  let wake = new AbortController();
  let client: PostgresClient | undefined;
  let problem: string | undefined;
  let offsetMs: number | undefined;
  let isClockOff = false;
  let measuredAt = 0;
  let suspectedUntil = 0;
  let downSince: number | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** Runs one query at a time, because the driver does not queue them. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  async function connect(connectMs: number): Promise<void> {
    const own = await connectClient(url, connectMs);
    own.on('notification', ({ payload }) => {
      if (payload !== undefined) options.onNotification(payload);
    });
    try {
      await prepare(own);
      await measure(own);
    } catch (error) {
      own.drop();
      throw error;
    }
    own.once('end', () => {
      if (client !== own) return;
      client = undefined;
      wake.abort('ended');
    });
    client = own;
    if (isClosed) own.drop();
  }

  async function measure(own: PostgresClient): Promise<void> {
    const before = clock.now();
    const [row] = await runQuery<{ now: number }>(
      own,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
      RECONNECT_TIMEOUT_MS,
    );
    const after = clock.now();
    measuredAt = monotonic();
    offsetMs = Math.round((row?.now ?? after) - (before + after) / 2);
    onOffset?.(offsetMs);
    const tolerance = CLOCK_TOLERANCE_MS + (after - before) / 2;
    if (Math.abs(offsetMs) > tolerance === isClockOff) return;
    isClockOff = !isClockOff;
    const seconds = `${Math.abs(offsetMs / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
    onError(
      isClockOff
        ? `the clock of the database is ${seconds} the clock of this machine: checks follow the clock of ${onOffset ? 'the database' : 'this machine'}`
        : 'the clock of the database agrees with the clock of this machine again',
      undefined,
    );
  }

  async function probe(own: PostgresClient): Promise<void> {
    await enqueue(async () => {
      if (monotonic() - measuredAt > MEASURE_EVERY_MS) await measure(own);
      const [row] = await runQuery<{ isReadOnly: string }>(
        own,
        `select current_setting('transaction_read_only') as "isReadOnly"`,
        LIMITS.probe,
      );
      // Standby servers are read-only, too.
      problem = row?.isReadOnly === 'on' ? 'the database is read-only' : undefined;
    });
  }

  function recordFailure(error: unknown): void {
    const now = monotonic();
    const sentence = faultSentence(error) ?? 'the database cannot be used';
    suspectedUntil = now + SUSPICION_MS;
    if (downSince === undefined) onError('the connection that monitors the database failed', error);
    downSince ??= now;
    problem = sentence;
  }

  async function reconnect(): Promise<void> {
    await connect(RECONNECT_TIMEOUT_MS);
    const isLong = downSince !== undefined && monotonic() - downSince > LIMITS.silence;
    // Connections from before a long fault are dead, and so are connection attempts.
    if (isLong) pool?.dropSilent(0);
    downSince = undefined;
    options.onReconnect();
  }

  async function probeOnce(): Promise<void> {
    try {
      if (client === undefined) await reconnect();
      if (client !== undefined) await probe(client);
    } catch (error) {
      if (isClosed) return;
      client?.drop();
      client = undefined;
      recordFailure(error);
    }
    if (monotonic() < suspectedUntil) pool?.dropSilent(LIMITS.silence);
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      wake = new AbortController();
      await sleep(client === undefined ? RECONNECT_DELAY_MS : LIMITS.probeEvery, wake.signal).catch(() => {});
      if (!isClosed) await probeOnce();
    }
  }

  await connect(LIMITS.connect);
  void run();
  return {
    state: () => ({ problem, clockOffsetMs: offsetMs }),
    query: <Row extends object>(text: string) =>
      enqueue(async () => {
        if (client === undefined) throw new Error('Connection terminated');
        return runQuery<Row>(client, text, LIMITS.probe);
      }).catch((error) => {
        throw asFault(error, false);
      }),
    close() {
      isClosed = true;
      wake.abort('closed');
      // Disconnect gracefully if the server responds; close the socket in any case.
      const last = client;
      client = undefined;
      last?.end().catch(() => {});
      setTimeout(() => last?.drop(), RECONNECT_DELAY_MS).unref();
    },
  };
}

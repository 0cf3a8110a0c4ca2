/**
 * Connects services that share a Postgres database, over a dedicated connection. It receives the ends of sessions in other
 * processes (LISTEN), follows the database's clock, and detects other services by a shared advisory lock that each holds. It
 * probes the database, reconnects when the connection is lost or does not respond, and drops silent connections of the pool.
 */
import { type Clock, systemClock } from '../../../base/clock.ts';
import { ENDED_CHANNEL } from '../engine/sessions.ts';
import { asFault, faultSentence } from '../errors.ts';
import { connectClient, LIMITS, type PostgresClient, runQuery } from './client.ts';
import type { PoolControl } from './pool.ts';

/** A clock that follows the database's, so that services on several machines agree on what is due. */
export interface FollowingClock extends Clock {
  /** The clock of this machine. */
  readonly machine: Clock;
  /** Sets the offset of the database's clock to this machine's, in ms. */
  follow(offsetMs: number): void;
}

/** Smaller differences to the database's clock are within the measurement error and are ignored, in ms. */
const MIN_STEP_MS = 100;

/**
 * Returns a clock with the machine's time until the first offset is set. From then on it goes on by the machine's monotonic
 * clock, so that setting the machine's clock changes nothing.
 */
export function followingClock(machine: Clock): FollowingClock {
  /** The database's time less the machine's monotonic clock, in ms. */
  let start: number | undefined;
  return {
    machine,
    now: () => (start === undefined ? machine.now() : Math.floor(start + machine.monotonic())),
    monotonic: () => machine.monotonic(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    timer: (ms, then) => machine.timer(ms, then),
    follow(offsetMs) {
      const measured = machine.now() + offsetMs - machine.monotonic();
      if (start === undefined || Math.abs(measured - start) > MIN_STEP_MS) start = measured;
    },
  };
}

interface PeersOptions {
  /** Called after a session or test session ended and its end is committed. */
  readonly onEnded: (id: string) => void;
  /** Called after a reconnect: ends may have been missed. */
  readonly onReconnect: () => void;
  readonly onError: (message: string, error: unknown) => void;
}

export type Peers = Awaited<ReturnType<typeof connectPeers>>;

interface DatabaseState {
  /** Why the database cannot be used, as a sentence fit for the public; undefined if it can. */
  readonly problem: string | undefined;
  /** Offset of the server's clock to the machine's, in ms; undefined before the first measurement. */
  readonly clockOffsetMs: number | undefined;
}

/** Pause before a reconnect, in ms. */
const RECONNECT_DELAY_MS = 250;
/** Timeout of a reconnect, in ms: it takes several round trips. */
const RECONNECT_TIMEOUT_MS = 2000;
/** How long after a failed probe silent connections of the pool are dropped, in ms. */
const SUSPICION_MS = 10_000;
const MEASURE_EVERY_MS = 60_000;
/** Larger clock offsets cause a warning, in ms. */
const CLOCK_TOLERANCE_MS = 2000;

/** The advisory lock of the services in a schema of a database. */
const LOCK = `hashtext('sonde services'), hashtext(coalesce(current_schema(), ''))`;

/** Listens until it is closed, and reconnects after a connection loss. Resolves once it listens; rejects if it cannot connect. */
export async function connectPeers(
  url: string,
  clock: Clock | FollowingClock,
  { onEnded, onReconnect, onError }: PeersOptions,
  pool?: PoolControl,
) {
  const follower = 'machine' in clock ? clock : undefined;
  /** The clock of the machine, to compare with the server's. */
  const machine = follower?.machine ?? clock;
  // Real time, not the injected clock, which tests change.
  const { monotonic, sleep } = systemClock;
  let isClosed = false;
  let wake = new AbortController();
  let client: PostgresClient | undefined;
  let problem: string | undefined;
  let offsetMs: number | undefined;
  let isClockOff = false;
  let measuredAt = 0;
  /** The machine's time less its monotonic clock at the last measurement, in ms. */
  let machineStart = 0;
  // A step may also hide a sleep of the machine, after which its monotonic clock is late.
  const isMachineSet = () =>
    Math.abs(machine.now() - machine.monotonic() - machineStart) > CLOCK_TOLERANCE_MS;
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
      if (payload !== undefined) onEnded(payload);
    });
    try {
      await runQuery(own, `listen ${ENDED_CHANNEL}`, LIMITS.connect);
      // Another service may hold the exclusive lock for a while.
      await runQuery(own, 'set lock_timeout = 0', LIMITS.connect);
      await runQuery(own, `select pg_advisory_lock_shared(${LOCK})`, LIMITS.query);
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
    const before = machine.now();
    const [row] = await runQuery<{ now: number }>(
      own,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
      RECONNECT_TIMEOUT_MS,
    );
    const after = machine.now();
    measuredAt = monotonic();
    machineStart = after - machine.monotonic();
    offsetMs = Math.round((row?.now ?? after) - (before + after) / 2);
    follower?.follow(offsetMs);
    const tolerance = CLOCK_TOLERANCE_MS + (after - before) / 2;
    if (Math.abs(offsetMs) > tolerance === isClockOff) return;
    isClockOff = !isClockOff;
    const seconds = `${Math.abs(offsetMs / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
    onError(
      isClockOff
        ? `the clock of the database is ${seconds} the clock of this machine: checks follow the clock of ${follower ? 'the database' : 'this machine'}`
        : 'the clock of the database agrees with the clock of this machine again',
      undefined,
    );
  }

  async function probe(own: PostgresClient): Promise<void> {
    await enqueue(async () => {
      if (monotonic() - measuredAt > MEASURE_EVERY_MS || isMachineSet()) await measure(own);
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
    onReconnect();
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

  const query = <Row extends object>(text: string): Promise<readonly Row[]> =>
    enqueue(async () => {
      if (client === undefined) throw new Error('Connection terminated');
      return runQuery<Row>(client, text, LIMITS.probe);
    }).catch((error) => {
      throw asFault(error, false);
    });

  await connect(LIMITS.connect).catch((error) => {
    throw asFault(error, false);
  });
  void run();
  return {
    /** Returns the state of the database, as observed by the connection. */
    state: (): DatabaseState => ({ problem, clockOffsetMs: offsetMs }),
    /** Runs `work` if no other service uses the database, and blocks others from starting meanwhile. Returns whether it ran. */
    async runExclusively(work: () => Promise<void>): Promise<boolean> {
      const rows = await query<{ isAlone: boolean }>(`select pg_try_advisory_lock(${LOCK}) as "isAlone"`);
      if (rows[0]?.isAlone !== true) return false;
      try {
        await work();
      } finally {
        // A lost connection has already released the lock.
        await query(`select pg_advisory_unlock(${LOCK})`).catch(() => {});
      }
      return true;
    },
    close(): void {
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

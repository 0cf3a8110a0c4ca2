/** Defines the timeouts of connections to Postgres, with the reason for each. */

interface Limit {
  readonly ms: number;
  readonly reason: string;
  /** The setting of Postgres that enforces it; undefined if the service does. */
  readonly setting?: string;
}

export const LIMITS = {
  connect: {
    ms: 5000,
    reason: 'A server that accepts a connection and never answers must not hold the requests that wait.',
  },
  keepAlive: {
    ms: 10_000,
    reason: 'The system then notices that the peer of an idle connection is gone.',
  },
  idle: {
    ms: 30_000,
    reason: 'A service without load leaves its connections to others.',
  },
  statement: {
    ms: 30_000,
    setting: 'statement_timeout',
    reason: 'The server stops a statement that nobody waits for any more.',
  },
  lock: {
    ms: 10_000,
    setting: 'lock_timeout',
    reason: 'One transaction that holds a row must not block every connection of the pool.',
  },
  idleInTransaction: {
    ms: 10_000,
    setting: 'idle_in_transaction_session_timeout',
    reason: 'A service that lost its link must not hold row locks on the server.',
  },
  query: {
    ms: 35_000,
    reason:
      'A half-open connection gives no answer; longer than `statement`, so that a server that lives says why.',
  },
  probeEvery: {
    ms: 300,
    reason: 'With `probe` it keeps /ready true within 2 s of a fault.',
  },
  probe: {
    ms: 1200,
    reason: 'A database that takes longer for "select 1" serves nobody.',
  },
  silence: {
    ms: 3000,
    reason: 'After a probe failed, a connection without any answer for so long is taken for dead.',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** How the server detects dead clients, in seconds, to release their locks. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/** The first statements of a new connection. PgBouncer rejects unknown settings as connection parameters. */
export const SETTINGS: string = [
  ...Object.values(LIMITS).flatMap((limit) =>
    'setting' in limit ? [[limit.setting, limit.ms] as const] : [],
  ),
  ...Object.entries(SERVER_KEEP_ALIVE),
]
  .map(([setting, value]) => `set ${setting} = ${value}`)
  .join('; ');

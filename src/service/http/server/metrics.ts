/** Collects the Prometheus metrics of the service, in one registry per service, so that several can run in a process. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { NOTIFICATION_STATES } from '../../../contract/enumerations.ts';
import type { EngineStatus } from '../../engine/engine.ts';
import type { StorageState } from '../../store/budgets.ts';
import { formatFamily } from './metric-families.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface RequestLabels {
  readonly method: string;
  /** The route pattern, never the URL with its IDs and tokens. */
  readonly route: string;
  readonly status: number;
}

/** The state of the service in one scrape. */
export interface MetricState {
  readonly engine: EngineStatus;
  /** Whether `/ready` answers 200. */
  readonly isReady: boolean;
  /** Number of messages by state. */
  readonly outbox: Readonly<Record<string, number>>;
  readonly storage: StorageState;
  /** Whether the network of this machine works; undefined if no canaries are configured. */
  readonly isUplinkUp: boolean | undefined;
  /** The text of the series of single checks, in parts; undefined if there are none. */
  readonly checks: readonly Buffer[] | undefined;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name, help, labelNames, registers });

  const requests = counter('sonde_http_requests_total', 'Requests answered, by method, route and status', [
    'method',
    'route',
    'status',
  ]);
  const seconds = new Histogram({
    name: 'sonde_http_request_seconds',
    help: 'Time from a request to its answer, in seconds',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const deliveries = counter(
    'sonde_deliveries_total',
    'Deliveries of alerts and notifications, by kind of message and outcome',
    ['kind', 'outcome'],
  );
  const messages = gauge(
    'sonde_messages',
    'Alerts and notifications of the last 30 days, by state (queued, sending, sent, failed)',
    ['state'],
  );

  const used = gauge('sonde_storage_used_bytes', 'Bytes stored, by budget', ['budget']);
  const limit = gauge('sonde_storage_limit_bytes', 'Storage limit in bytes, by budget', ['budget']);
  const reached = gauge('sonde_storage_limit_reached', '1 if a budget has reached its limit', ['budget']);
  const diskFull = gauge(
    'sonde_storage_disk_full',
    '1 if the disk of the data folder has only its reserve left',
  );

  const ready = gauge('sonde_ready', '1 if the service makes progress, as /ready says');
  const active = gauge('sonde_attempts_active', 'Check attempts that the built-in worker is running');
  const queued = gauge('sonde_attempts_queued', 'Check attempts waiting for a worker');
  const attempts = counter('sonde_attempts_total', 'Check attempts recorded');
  const errors = counter('sonde_attempt_errors_total', 'Check attempts with a monitor error');
  const missed = counter('sonde_missed_ticks_total', 'Scheduled ticks missed');
  const started = counter('sonde_sessions_started_total', 'Check sessions started');
  const ended = counter('sonde_sessions_ended_total', 'Check sessions ended, by status', ['status']);
  const lateMost = gauge(
    'sonde_lateness_seconds_max',
    'Largest start delay of a scheduled session, in seconds',
  );

  /** Copies the counters of the engine. They are already totals, so they are set and not incremented. */
  function updateEngine({ counters, lateness, ...status }: EngineStatus): void {
    const set = (metric: Counter, value: number) => {
      metric.reset();
      metric.inc(value);
    };
    active.set(status.active);
    if (status.queued !== null) queued.set(status.queued);
    set(attempts, counters.attempts);
    set(errors, counters.errors);
    set(missed, counters.missedTicks);
    set(started, counters.sessionsStarted);
    ended.reset();
    for (const [name, count] of Object.entries(counters.sessionsEnded)) ended.inc({ status: name }, count);
    lateMost.set(lateness.max / 1000);
  }
  function updateStorage({ state, budgets }: StorageState): void {
    diskFull.set(Number(state === 'DISK_FULL'));
    for (const { name: budget, usedBytes, limitBytes, state: budgetState } of budgets) {
      used.set({ budget }, usedBytes);
      if (limitBytes !== null) limit.set({ budget }, limitBytes);
      reached.set({ budget }, Number(budgetState === 'LIMIT_REACHED'));
    }
  }

  return {
    contentType: registry.contentType,
    recordRequest({ method, route, status }: RequestLabels, elapsed: number): void {
      requests.inc({ method, route, status: String(status) });
      seconds.observe({ method, route }, elapsed);
    },
    /** Counts the outcome of one delivery attempt. */
    recordDelivery: (kind: string, outcome: 'sent' | 'retried' | 'failed') =>
      deliveries.inc({ kind, outcome }),
    /** Renders the metrics in Prometheus text format. */
    async render({ engine, isReady, outbox, storage, isUplinkUp, checks }: MetricState): Promise<Buffer> {
      updateEngine(engine);
      ready.set(Number(isReady));
      updateStorage(storage);
      for (const state of NOTIFICATION_STATES)
        messages.set({ state: state.toLowerCase() }, outbox[state] ?? 0);
      const text = [
        await registry.metrics(),
        formatLateness(engine.lateness),
        isUplinkUp === undefined ? '' : formatUplink(isUplinkUp),
      ].join('');
      return Buffer.concat([Buffer.from(text), ...(checks ?? [])]);
    },
  };
}

const formatUplink = (isUp: boolean): string =>
  formatFamily({
    name: 'sonde_uplink_up',
    help: '1 if a canary answered when it was last probed, 0 if the network of this machine is down',
    type: 'gauge',
    samples: [{ value: Number(isUp) }],
  });

/** Returns a summary without quantiles. prom-client only observes single values, but the engine has their sum. */
const formatLateness = ({ sum, count }: EngineStatus['lateness']): string =>
  formatFamily({
    name: 'sonde_lateness_seconds',
    help: 'Start delay of scheduled sessions, in seconds',
    type: 'summary',
    samples: [
      { suffix: '_sum', value: sum / 1000 },
      { suffix: '_count', value: count },
    ],
  });

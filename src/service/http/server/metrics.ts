/** Collects the Prometheus metrics of the service, in one registry per service, so that several can run in a process. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { NOTIFICATION_STATES } from '../../../contract/enumerations.ts';
import type { EngineStatus } from '../../engine/engine.ts';
import type { StorageState } from '../../store/budgets.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface RequestLabels {
  readonly method: string;
  /** The route pattern, never the URL with its IDs and tokens. */
  readonly route: string;
  readonly status: number;
}

export interface Metrics {
  readonly contentType: string;
  /** Counts a completed request. */
  readonly recordRequest: (labels: RequestLabels, seconds: number) => void;
  /** Counts the outcome of one delivery attempt. */
  readonly recordDelivery: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void;
  /** Renders the metrics in Prometheus text format, with the current state of the engine, outbox and storage. */
  readonly render: (
    engine: EngineStatus,
    outbox: Readonly<Record<string, number>>,
    storage: StorageState,
  ) => Promise<string>;
}

/** Copies the counters of the engine into metrics. They are already totals, so they are set and not incremented. */
function createEngineMetrics(registry: Registry): (status: EngineStatus) => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });

  const active = gauge('sonde_attempts_active', 'Check attempts that the built-in worker is running');
  const queued = gauge('sonde_attempts_queued', 'Check attempts waiting for a worker');
  const attempts = counter('sonde_attempts_total', 'Check attempts recorded');
  const errors = counter('sonde_attempt_errors_total', 'Check attempts with a monitor error');
  const missed = counter('sonde_missed_ticks_total', 'Scheduled ticks missed');
  const started = counter('sonde_sessions_started_total', 'Check sessions started');
  const ended = counter('sonde_sessions_ended_total', 'Check sessions ended, by status', ['status']);
  const late = counter('sonde_lateness_seconds_sum', 'Total start delay of scheduled sessions, in seconds');
  const lateCount = counter('sonde_lateness_seconds_count', 'Scheduled sessions started');
  const lateMost = gauge(
    'sonde_lateness_seconds_max',
    'Largest start delay of a scheduled session, in seconds',
  );

  const set = (metric: Counter, value: number) => {
    metric.reset();
    metric.inc(value);
  };
  return ({ active: activeCount, queued: queuedCount, counters, lateness }) => {
    active.set(activeCount);
    if (queuedCount !== null) queued.set(queuedCount);
    set(attempts, counters.attempts);
    set(errors, counters.errors);
    set(missed, counters.missedTicks);
    set(started, counters.sessionsStarted);
    ended.reset();
    for (const [status, count] of Object.entries(counters.sessionsEnded)) ended.inc({ status }, count);
    set(late, lateness.sum / 1000);
    set(lateCount, lateness.count);
    lateMost.set(lateness.max / 1000);
  };
}

function createStorageMetrics(registry: Registry): (state: StorageState) => void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['budget'] as const, registers: [registry] });
  const used = gauge('sonde_storage_used_bytes', 'Bytes stored, by budget');
  const limit = gauge('sonde_storage_limit_bytes', 'Storage limit in bytes, by budget');
  const reached = gauge('sonde_storage_limit_reached', '1 if a budget has reached its limit');
  const diskFull = new Gauge({
    name: 'sonde_storage_disk_full',
    help: '1 if the disk of the data folder has only its reserve left',
    registers: [registry],
  });
  return ({ state, budgets }) => {
    diskFull.set(Number(state === 'DISK_FULL'));
    for (const { name: budget, usedBytes, limitBytes, state: budgetState } of budgets) {
      used.set({ budget }, usedBytes);
      if (limitBytes !== null) limit.set({ budget }, limitBytes);
      reached.set({ budget }, Number(budgetState === 'LIMIT_REACHED'));
    }
  };
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'sonde_http_requests_total',
    help: 'Requests answered, by method, route and status',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'sonde_http_request_seconds',
    help: 'Time from a request to its answer, in seconds',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const deliveries = new Counter({
    name: 'sonde_deliveries_total',
    help: 'Deliveries of alerts and notifications, by kind of message and outcome',
    labelNames: ['kind', 'outcome'] as const,
    registers,
  });
  const messages = new Gauge({
    name: 'sonde_messages',
    help: 'Alerts and notifications of the last 30 days, by state (queued, sending, sent, failed)',
    labelNames: ['state'] as const,
    registers,
  });
  const updateStorage = createStorageMetrics(registry);
  const updateEngine = createEngineMetrics(registry);
  return {
    contentType: registry.contentType,
    recordRequest({ method, route, status }, elapsed) {
      requests.inc({ method, route, status: String(status) });
      seconds.observe({ method, route }, elapsed);
    },
    recordDelivery: (kind, outcome) => deliveries.inc({ kind, outcome }),
    render(engine, outbox, storage) {
      updateEngine(engine);
      updateStorage(storage);
      for (const state of NOTIFICATION_STATES) {
        messages.set({ state: state.toLowerCase() }, outbox[state] ?? 0);
      }
      return registry.metrics();
    },
  };
}

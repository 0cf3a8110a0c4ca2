/** Describes the analytics of every check type: its path, groups and metrics, and where a result has each value. */

export const AGGREGATIONS = [
  'avg',
  'max',
  'median',
  'min',
  'p50',
  'p90',
  'p95',
  'p99',
  'stddev',
  'sum',
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
export const METRIC_UNITS = ['milliseconds', 'score', 'count', 'percentage'] as const;

/** A measurement of a result. Its aggregations are further metrics: `responseTime_p95`. */
export interface Metric {
  readonly unit: (typeof METRIC_UNITS)[number];
  readonly label: string;
  /** The response time of the result, or a path in its details; absent: this service does not measure it. */
  readonly at?: 'responseTime' | readonly [string, ...string[]];
  /** Whether the value is a text or a boolean, which has no aggregation. */
  readonly isText?: true;
}

export interface AnalyticsRow {
  /** Part of its path: `/v1/analytics/api-checks/{id}`. */
  readonly path: string;
  readonly groups: readonly ('runLocation' | 'statusCode')[];
  readonly metrics: Readonly<Record<string, Metric>>;
}

const ms = (label: string, at?: Metric['at']): Metric => ({
  unit: 'milliseconds',
  label,
  ...(at === undefined ? {} : { at }),
});
const text = (label: string, name?: string): Metric => ({
  unit: 'score',
  label,
  isText: true,
  ...(name === undefined ? {} : { at: ['response', name] }),
});
const count = (label: string, at?: Metric['at']): Metric => ({ ...ms(label, at), unit: 'count' });

const responseTime = ms('Response time', 'responseTime');
const byLocation = { groups: ['runLocation'] } as const;

const HTTP: Omit<AnalyticsRow, 'path'> = {
  groups: ['runLocation', 'statusCode'],
  metrics: {
    responseTime,
    wait: ms('Wait'),
    dns: ms('DNS lookup', ['timing', 'dns']),
    tcp: ms('TCP connection', ['timing', 'connect']),
    firstByte: ms('First byte', ['timing', 'firstByte']),
    download: ms('Download', ['timing', 'download']),
  },
};

/** Numbers of the tests of a Playwright suite. */
const TESTS = {
  testsPassed: count('Passed tests', ['counts', 'passed']),
  testsFailed: count('Failed tests', ['counts', 'failed']),
  testsFlaky: count('Tests that passed only after Playwright repeated them', ['counts', 'flaky']),
  testsSkipped: count('Skipped tests', ['counts', 'skipped']),
};

/** By check type. */
export const ANALYTICS = {
  AGENTIC: { ...byLocation, path: 'agentic-checks', metrics: { responseTime } },
  API: { ...HTTP, path: 'api-checks' },
  BROWSER: {
    ...byLocation,
    path: 'browser-checks',
    metrics: {
      responseTime,
      TTFB: ms('Time to first byte'),
      FCP: ms('First contentful paint'),
      LCP: ms('Largest contentful paint'),
      CLS: { unit: 'score', label: 'Cumulative layout shift' },
      TBT: ms('Total blocking time'),
      consoleErrors: count('Console errors'),
      networkErrors: count('Network errors'),
      userScriptErrors: count('Script errors'),
      documentErrors: count('Document errors'),
    },
  },
  DNS: { ...byLocation, path: 'dns', metrics: { total: ms('Total', 'responseTime') } },
  HEARTBEAT: { path: 'heartbeat-checks', groups: [], metrics: {} },
  ICMP: {
    ...byLocation,
    path: 'icmp',
    metrics: {
      packetLoss: { unit: 'percentage', label: 'Packet loss', at: ['response', 'packetLoss'] },
      latencyMin: ms('Minimum latency', ['response', 'latency', 'min']),
      latencyMax: ms('Maximum latency', ['response', 'latency', 'max']),
      latencyAvg: ms('Average latency', 'responseTime'),
      latencyStdDev: ms('Standard deviation of the latency', ['response', 'latency', 'stdDev']),
    },
  },
  MULTI_STEP: { ...byLocation, path: 'multistep-checks', metrics: { responseTime } },
  PLAYWRIGHT: { ...byLocation, path: 'playwright-checks', metrics: { responseTime, ...TESTS } },
  SSL: {
    ...byLocation,
    path: 'ssl',
    metrics: {
      handshakeTimeMs: ms('Handshake time', 'responseTime'),
      daysUntilExpiry: count('Days until expiry', ['response', 'daysUntilExpiry']),
      tlsVersion: text('TLS version', 'tlsVersion'),
      cipherSuite: text('Cipher suite', 'cipherSuite'),
      hostnameVerified: text('Host name verified', 'hostnameVerified'),
      chainTrusted: text('Chain trusted', 'chainTrusted'),
      ocspStapled: text('OCSP response stapled'),
      baselineVerdict: text('Verdict of the security baseline'),
      baselineGrade: text('Grade of the security baseline'),
      keySizeBits: count('Key size in bits', ['response', 'certificate', 'keySizeBits']),
    },
  },
  TCP: {
    ...byLocation,
    path: 'tcp-checks',
    metrics: {
      total: ms('Total', 'responseTime'),
      dns: ms('DNS lookup', ['timing', 'dns']),
      connection: ms('Connection', ['timing', 'connect']),
      data: ms('Data', ['timing', 'data']),
    },
  },
  URL: { ...HTTP, path: 'url-monitors' },
} as const satisfies Readonly<Record<string, AnalyticsRow>>;

/** The latest results of a suite whose tests a request may read. */
export const MAX_SUITE_RUNS = 100;
export const DEFAULT_SUITE_RUNS = 30;
/** Orders of the tests of a suite. Each but the last one begins with the worst test. */
export const TEST_ORDERS = ['flakiness', 'failures', 'duration', 'title'] as const;
export type TestOrder = (typeof TEST_ORDERS)[number];
/** Outcomes of a test. Flaky: it passed only after Playwright repeated it. */
export const TEST_OUTCOMES = ['passed', 'flaky', 'failed', 'skipped'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

/** Metrics of every type, computed from the outcome of results. */
export const OUTCOME_METRICS = {
  availability: { unit: 'percentage', label: 'Availability' },
  retries: { unit: 'count', label: 'Retries' },
} as const satisfies Readonly<Record<string, Metric>>;

/** Returns whether a metric is one of those of every type. */
export const isOutcomeMetric = ({ base }: Pick<NamedMetric, 'base'>): boolean =>
  Object.hasOwn(OUTCOME_METRICS, base);

/** A metric by the name that requests use. */
export interface NamedMetric {
  readonly name: string;
  /** The name without the aggregation. */
  readonly base: string;
  readonly metric: Metric;
  readonly aggregation?: Aggregation;
}

/** Returns all metrics of a check type, each with its aggregations. */
export function metricsOf({ metrics }: AnalyticsRow): readonly NamedMetric[] {
  const measured = Object.entries(metrics).map(([name, metric]) => ({ name, base: name, metric }));
  const outcomes = Object.entries<Metric>(OUTCOME_METRICS).map(([name, metric]) => ({
    name,
    base: name,
    metric,
  }));
  const aggregated = measured
    .filter(({ metric }) => metric.isText !== true)
    .flatMap(({ base, metric }) =>
      AGGREGATIONS.map((aggregation) => ({ name: `${base}_${aggregation}`, base, metric, aggregation })),
    );
  return [...measured, ...outcomes, ...aggregated];
}

const DAYS = ['last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const;
export const QUICK_RANGES = ['last24Hours', ...DAYS] as const;
/** The report abbreviates the first one. */
export const REPORT_RANGES = ['last24Hrs', ...DAYS] as const;
export const BATCH_RANGES = ['last24Hours', 'last7Days', 'thisWeek', 'lastWeek', 'lastMonth'] as const;
export type QuickRange = (typeof QUICK_RANGES)[number] | (typeof REPORT_RANGES)[number];

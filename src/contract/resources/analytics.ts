/** Schemas of analytics, reports and the status of checks. */
import { METRIC_UNITS, TEST_OUTCOMES } from '../analytics-metrics.ts';
import { CHECK_TYPE_NAMES } from '../check-types.ts';
import {
  allOptional,
  anyObject,
  array,
  boolean,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  Type,
  unixSeconds,
  uuid,
} from '../schema.ts';

const checkType = openOneOf(CHECK_TYPE_NAMES, 'Type of the check');

/** Custom ends of a range. */
export const timeRange = {
  from: unixSeconds('Start of the range, in Unix seconds'),
  to: unixSeconds('End of the range, in Unix seconds'),
};
/** Names of ranges, with the first as the default. */
export const quickRange = <const R extends readonly string[]>(names: R) =>
  oneOf(names, 'Range that ends now, or the previous week or month of UTC; from and to override it', {
    default: names[0],
  });

export const analytics = open(
  {
    checkId: uuid('ID of the check'),
    name: string('Name of the check'),
    checkType,
    activated: boolean('Whether the check runs'),
    muted: boolean('Whether the check sends no alerts'),
    frequency: number('Minutes between runs', { 'x-unit': 'minutes' }),
    from: dateTime('Start of the range'),
    to: dateTime('End of the range'),
    tags: array(string('Tag'), 'Tags of the check'),
    series: array(
      open({
        runLocation: optional(string('Location, if grouped by location')),
        statusCode: optional(nullable(integer('HTTP status, if grouped by status; null: no response'))),
        data: array(
          anyObject('Values by metric; with timestamp (of the interval) or startedAt (of the result)'),
          'Values, oldest first',
        ),
      }),
      'One series, or one for each group',
    ),
    pagination: open({ page: number('Page number'), limit: number('Maximum number of rows per series') }),
    metadata: Type.Unsafe<Record<string, { unit: string; label: string; aggregation?: string }>>({
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          unit: { type: 'string', enum: METRIC_UNITS },
          label: { type: 'string' },
          aggregation: { type: 'string' },
        },
      },
      description: 'Unit and label of each metric',
    }),
  },
  { title: 'Analytics' },
);

const testDuration = (text: string) => nullable(number(`${text}; null: always skipped`, { 'x-unit': 'ms' }));
export const suiteTests = open(
  {
    checkId: uuid('ID of the check'),
    name: string('Name of the check'),
    results: integer('Number of results that were read'),
    from: nullable(dateTime('Start of the first of them; null: there is none')),
    to: nullable(dateTime('Start of the last of them; null: there is none')),
    tests: array(
      open(
        {
          title: string('Project, file and titles of the test; the middle of a long title is missing'),
          passed: integer('Results in which it passed'),
          flaky: integer('Results in which it passed only after Playwright repeated it'),
          failed: integer('Results in which it failed or timed out'),
          skipped: integer('Results in which it was skipped'),
          flakiness: nullable(
            number(
              'Share in percent of the results in which it was flaky, or passed or failed unlike the result before in that location; null: always skipped',
              { 'x-unit': '%' },
            ),
          ),
          duration_avg: testDuration('Mean duration'),
          duration_p50: testDuration('Median duration'),
          duration_p95: testDuration('95th percentile of the duration'),
          duration_max: testDuration('Longest duration'),
          runs: array(
            open({
              startedAt: dateTime('Start of the result'),
              runLocation: string('Location'),
              status: openOneOf(TEST_OUTCOMES, 'Outcome'),
              duration: number('Duration', { 'x-unit': 'ms' }),
            }),
            'The test in each result, oldest first',
          ),
        },
        { title: 'TestStatistics' },
      ),
      'Tests in the requested order',
    ),
  },
  { title: 'SuiteTests' },
);

export const metricDescription = open(
  {
    name: string('Name of the metric'),
    unit: openOneOf(METRIC_UNITS, 'Unit of the values'),
    label: string('Label'),
    type: optional(openOneOf(['Array', 'Int', 'Integer', 'Float', 'String'], 'Type of the values')),
    aggregated: boolean('Whether it summarizes several results'),
  },
  { title: 'MetricDescription' },
);

const milliseconds = (text: string) => nullable(number(text, { 'x-unit': 'ms' }));
const percent = (text: string) => nullable(number(text, { 'x-unit': '%' }));
export const analyticsSummary = open(
  {
    checkId: uuid('ID of the check'),
    checkType,
    availability: percent('Share of passed results in percent; null: no results'),
    ...allOptional({
      responseTime_avg: milliseconds('Mean response time'),
      responseTime_p50: milliseconds('Median response time'),
      responseTime_p95: milliseconds('95th percentile of the response time'),
      responseTime_p99: milliseconds('99th percentile of the response time'),
      latency_avg: milliseconds('Mean latency of ICMP checks'),
      latency_p50: milliseconds('Median latency of ICMP checks'),
      latency_p95: milliseconds('95th percentile of the latency of ICMP checks'),
      latency_p99: milliseconds('99th percentile of the latency of ICMP checks'),
      packetLoss_avg: percent('Mean packet loss of ICMP checks'),
      packetLoss_p95: percent('95th percentile of the packet loss of ICMP checks'),
      packetLoss_p99: percent('99th percentile of the packet loss of ICMP checks'),
    }),
  },
  { title: 'AnalyticsSummary' },
);

export const checkStatus = open(
  {
    name: string('Name of the check'),
    checkId: string('ID of the check'),
    hasFailures: boolean('Whether the last session failed'),
    hasErrors: boolean('Whether the last result is a monitor error'),
    isDegraded: boolean('Whether the last session was degraded'),
    longestRun: milliseconds('Longest response time ever'),
    shortestRun: milliseconds('Shortest response time ever'),
    lastRunLocation: nullable(string('Location of the last result')),
    lastCheckRunId: nullable(string('ID of the last check run')),
    sslDaysRemaining: nullable(integer('Days until the certificate expires; null: no certificate seen')),
    created_at: dateTime('Time at which the check was created'),
    updated_at: nullable(dateTime('Time of the last result')),
  },
  { title: 'CheckStatus' },
);

const aggregate = {
  successRatio: number('Share of passed results in percent', { 'x-unit': '%' }),
  avg: number('Mean response time', { 'x-unit': 'ms' }),
  p95: number('95th percentile of the response time', { 'x-unit': 'ms' }),
  p99: number('99th percentile of the response time', { 'x-unit': 'ms' }),
};

export const report = open(
  {
    name: string('Name of the check'),
    checkId: string('ID of the check'),
    checkType,
    deactivated: boolean('Whether the check does not run'),
    tags: array(string('Tag'), 'Tags of the check'),
    aggregate: optional(
      open(aggregate, { description: 'Results in the range; absent: none, or a granularity was requested' }),
    ),
    aggregates: optional(
      array(
        open({ ...aggregate, from: dateTime('Start of the bucket'), to: dateTime('End of the bucket') }),
        'Results by day, week or month; those without results are missing',
      ),
    ),
  },
  { title: 'Report' },
);

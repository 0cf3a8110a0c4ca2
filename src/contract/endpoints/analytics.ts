/** Endpoints of reports, metrics, and the status of checks. check-analytics.ts has the analytics of each check type. */
import {
  BATCH_RANGES,
  DEFAULT_SUITE_RUNS,
  MAX_SUITE_RUNS,
  REPORT_RANGES,
  TEST_ORDERS,
} from '../analytics-metrics.ts';
import { CHECK_TYPE_NAMES } from '../check-types.ts';
import * as resources from '../resources/analytics.ts';
import { quickRange, timeRange } from '../resources/analytics.ts';
import { allOptional, array, boolean, closed, integer, oneOf, string, uuid } from '../schema.ts';
import { define } from './define.ts';

const analytics = { resource: 'analytics' } as const;

export const listMetrics = define({
  ...analytics,
  name: 'listMetrics',
  method: 'GET',
  path: '/v1/analytics/metrics',
  summary: 'List the metrics of a check type',
  query: { checkType: oneOf(CHECK_TYPE_NAMES, 'Type of the check') },
  response: array(resources.metricDescription, 'Metrics'),
});

export const summarizeChecks = define({
  ...analytics,
  name: 'summarizeChecks',
  method: 'POST',
  path: '/v1/analytics/checks',
  summary: 'Get availability and response times of several checks',
  query: allOptional({ quickRange: quickRange(BATCH_RANGES) }),
  body: closed(
    {
      checkIds: array(uuid('ID of a check'), 'IDs of the checks', {
        minItems: 1,
        maxItems: 100,
        'x-gaps': ['minItems', 'maxItems'],
      }),
    },
    { title: 'SummarizeChecksRequest' },
  ),
  response: array(resources.analyticsSummary, 'Summaries of the checks that exist'),
  safeToRetry: true,
});

export const listSuiteTests = define({
  ...analytics,
  name: 'listSuiteTests',
  method: 'GET',
  path: '/v1/analytics/playwright-checks/{id}/tests',
  summary: 'Get the outcomes and durations of the tests of a Playwright check',
  params: { id: uuid('ID of the check') },
  query: allOptional({
    ...timeRange,
    results: integer('Latest results to read', {
      minimum: 1,
      maximum: MAX_SUITE_RUNS,
      default: DEFAULT_SUITE_RUNS,
    }),
    sortBy: oneOf(TEST_ORDERS, 'Order of the tests: the worst first, or by title', { default: 'flakiness' }),
  }),
  response: resources.suiteTests,
});

export const getReport = define({
  ...analytics,
  name: 'getReport',
  method: 'GET',
  path: '/v1/reporting',
  summary: 'Get the success ratio and response times of all checks',
  query: allOptional({
    ...timeRange,
    quickRange: quickRange(REPORT_RANGES),
    filterByTags: array(string('Tag'), 'Only checks with all these tags'),
    deactivated: boolean('Only deactivated checks (true) or activated ones (false)'),
    granularity: oneOf(
      ['day', 'week', 'month'],
      'Calendar buckets to report separately, at most 120 in 400 days',
    ),
    timezone: string('IANA time zone of the buckets; default: UTC', { minLength: 1 }),
  }),
  response: array(resources.report, 'Checks, newest first'),
});

const statuses = { resource: 'check statuses' } as const;
export const listCheckStatuses = define({
  ...statuses,
  name: 'listCheckStatuses',
  method: 'GET',
  path: '/v1/check-statuses',
  summary: 'List the status of every check that has a result',
  response: array(resources.checkStatus, 'Statuses'),
});
export const getCheckStatus = define({
  ...statuses,
  name: 'getCheckStatus',
  method: 'GET',
  path: '/v1/check-statuses/{checkId}',
  summary: 'Get the status of a check; 404 if it has no result yet',
  params: { checkId: string('ID of the check') },
  response: resources.checkStatus,
});

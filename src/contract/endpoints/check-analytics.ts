/** Endpoints of the analytics of each check type, from the table of metrics. */
import { ANALYTICS, type AnalyticsRow, metricsOf, QUICK_RANGES } from '../analytics-metrics.ts';
import { analyticsNameOf, CHECK_TYPE_ROWS } from '../check-types.ts';
import type { EndpointDefinition } from '../endpoint.ts';
import { analytics, quickRange, timeRange } from '../resources/analytics.ts';
import { allOptional, array, number, oneOf, uuid } from '../schema.ts';
import { define, pageQuery } from './define.ts';

/** Parameters of types that measure something. */
const intervals = {
  aggregationInterval: number('Minutes of the intervals to aggregate; default: the whole range', {
    minimum: 1,
    maximum: 43_200,
    'x-unit': 'minutes',
  }),
};

const queryOf = (row: AnalyticsRow) => ({
  ...allOptional({
    ...timeRange,
    quickRange: quickRange(QUICK_RANGES),
    filterByStatus: array(oneOf(['success', 'failure'], 'Outcome'), 'Only results with these outcomes'),
  }),
  metrics: array(
    oneOf(
      metricsOf(row).map(({ name }) => name),
      'Metric',
    ),
    'Metrics to return',
    { minItems: 1 },
  ),
  ...(row.groups.length === 0
    ? {}
    : allOptional({ ...intervals, groupBy: oneOf(row.groups, 'Group of each series') })),
  ...pageQuery,
});

/** The analytics of each check type, by name. */
export const analyticsEndpoints: Readonly<Record<string, EndpointDefinition>> = Object.fromEntries(
  CHECK_TYPE_ROWS.map(([type, row]) => {
    const endpoint = define({
      resource: 'analytics',
      name: analyticsNameOf(row),
      method: 'GET',
      path: `/v1/analytics/${ANALYTICS[type].path}/{id}`,
      summary: `Get availability and metrics of ${row.article} ${row.label} check`,
      params: { id: uuid('ID of the check') },
      query: queryOf(ANALYTICS[type]),
      response: analytics,
    });
    return [endpoint.name, endpoint as EndpointDefinition];
  }),
);

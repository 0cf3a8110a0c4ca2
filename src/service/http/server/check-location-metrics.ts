/** Formats the series of each check in each location for /metrics. */
import { groupBy } from '../../../base/object.ts';
import type { CheckActivity } from '../../store/check-activity.ts';
import type { CheckLocationRecord } from '../../store/check-locations.ts';
import type { Store } from '../../store/index.ts';
import { addLabel, formatFamily, formatLabels, type MetricSample } from './metric-families.ts';

/** Maximum number of locations of a check that have series, so that a scrape stays small. */
export const MAX_METRIC_LOCATIONS = 10;

/** A check in one of its locations. */
interface LocatedCheck {
  readonly check: CheckActivity;
  readonly last: CheckLocationRecord;
}

export interface CheckLocationMetrics {
  readonly located: readonly LocatedCheck[];
  /** Number of locations that the limit excludes. */
  readonly omitted: number;
}

/** Reads the last results of checks by location: of each check at most the first locations by name, so that scrapes agree. */
export async function readCheckLocationMetrics(
  { checkLocations }: Pick<Store, 'checkLocations'>,
  checks: readonly CheckActivity[],
): Promise<CheckLocationMetrics> {
  const rows = await checkLocations.ofChecks(checks.map(({ id }) => id));
  const byCheck = groupBy(rows, ({ checkId }) => checkId);
  const located = checks.flatMap((check) =>
    (byCheck.get(check.id) ?? []).slice(0, MAX_METRIC_LOCATIONS).map((last) => ({ check, last })),
  );
  return { located, omitted: rows.length - located.length };
}

const RESULTS = [
  ['passed', 'passed'],
  ['degraded', 'degraded'],
  ['failed', 'failed'],
  ['error', 'errors'],
] as const;

const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the series in Prometheus text format. A deactivated check has only the counters. */
export function formatCheckLocationMetrics({ located, omitted }: CheckLocationMetrics): string {
  const labelled = located.map(({ check, last }) => {
    const labels = { check_id: check.id, name: check.name, location: last.location };
    // Formatted once: a check has many series.
    return { check, last, text: formatLabels(labels) };
  });
  const active = labelled.filter(({ check }) => check.active === 1);
  const gauge = (name: string, help: string, measure: (last: CheckLocationRecord) => number | null) =>
    formatFamily({
      name,
      help,
      type: 'gauge',
      samples: active.flatMap(({ last, text }): MetricSample[] => {
        const value = measure(last);
        return value === null ? [] : [{ labels: text, value }];
      }),
    });
  return [
    gauge(
      'sonde_check_location_up',
      '1 if the last result in the location passed or was degraded, 0 if it failed',
      ({ status }) => (status === null ? null : Number(status !== 'failing')),
    ),
    gauge(
      'sonde_check_location_duration_seconds',
      'Response time of the last result in the location, in seconds',
      ({ responseTime }) => (responseTime === null ? null : responseTime / 1000),
    ),
    formatFamily({
      name: 'sonde_check_location_phase_duration_seconds',
      help: 'Duration of each phase of the last result in the location, in seconds',
      type: 'gauge',
      samples: active.flatMap(({ last, text }) =>
        Object.entries(last.phases ?? {}).map(([phase, ms]) => ({
          labels: addLabel(text, 'phase', toSnakeCase(phase)),
          value: ms / 1000,
        })),
      ),
    }),
    gauge(
      'sonde_check_location_last_run_timestamp_seconds',
      'Start of the last result with a verdict in the location, in seconds since 1970',
      ({ startedAt }) => (startedAt === null ? null : startedAt / 1000),
    ),
    gauge(
      'sonde_check_location_certificate_expiry_timestamp_seconds',
      'Expiry of the certificate that the location last saw, in seconds since 1970',
      ({ certificate }) => (certificate === null ? null : certificate.expiresAt / 1000),
    ),
    formatFamily({
      name: 'sonde_check_location_results_total',
      help: 'Final results of a check in the location, by status',
      type: 'counter',
      samples: labelled.flatMap(({ last, text }) =>
        RESULTS.map(([status, column]) => ({
          labels: addLabel(text, 'status', status),
          value: last.counts[column],
        })),
      ),
    }),
    formatFamily({
      name: 'sonde_check_locations_omitted',
      help: `Locations without series, because their check has more than ${MAX_METRIC_LOCATIONS}`,
      type: 'gauge',
      samples: [{ value: omitted }],
    }),
  ].join('');
}

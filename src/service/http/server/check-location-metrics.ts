/** Defines the series of each check in each location for /metrics. */
import type { CheckActivity } from '../../store/check-activity.ts';
import type { LocationMeasurement } from '../../store/check-locations.ts';
import { addLabel, defineGauge, formatLabels, type SeriesFamily } from './metric-families.ts';

/** Maximum number of locations of a check that have series, so that a scrape stays small. */
export const MAX_METRIC_LOCATIONS = 10;

/** A check in one of its locations, with its labels, which are formatted once because it has many series. */
interface LabelledLocation extends LocationMeasurement {
  readonly labels: string;
  readonly isActive: boolean;
}

/** Returns the first locations of a check by name, so that scrapes agree. */
export const labelLocations = (
  checkId: string,
  { name, isActive, locations }: CheckActivity,
): readonly LabelledLocation[] =>
  locations.slice(0, MAX_METRIC_LOCATIONS).map((measured) => ({
    ...measured,
    isActive,
    labels: formatLabels({ check_id: checkId, name, location: measured.location }),
  }));

const RESULTS = [
  ['passed', 'passed'],
  ['degraded', 'degraded'],
  ['failed', 'failed'],
  ['error', 'errors'],
] as const;

const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The series of a check in a location. A deactivated check has only the counters. */
export const LOCATION_FAMILIES: readonly SeriesFamily<LabelledLocation>[] = [
  defineGauge(
    'sonde_check_location_up',
    '1 if the last result in the location passed or was degraded, 0 if it failed',
    ({ status }) => (status === null ? null : Number(status !== 'failing')),
  ),
  defineGauge(
    'sonde_check_location_duration_seconds',
    'Response time of the last result in the location, in seconds',
    ({ responseTime }) => (responseTime === null ? null : responseTime / 1000),
  ),
  {
    name: 'sonde_check_location_phase_duration_seconds',
    help: 'Duration of each phase of the last result in the location, in seconds',
    type: 'gauge',
    samples: ({ isActive, labels, phases }) =>
      Object.entries(isActive ? (phases ?? {}) : {}).map(([phase, ms]) => ({
        labels: addLabel(labels, 'phase', toSnakeCase(phase)),
        value: ms / 1000,
      })),
  },
  defineGauge(
    'sonde_check_location_last_run_timestamp_seconds',
    'Start of the last result with a verdict in the location, in seconds since 1970',
    ({ startedAt }) => (startedAt === null ? null : startedAt / 1000),
  ),
  defineGauge(
    'sonde_check_location_certificate_expiry_timestamp_seconds',
    'Expiry of the certificate that the location last saw, in seconds since 1970',
    ({ certificate }) => (certificate === null ? null : certificate.expiresAt / 1000),
  ),
  {
    name: 'sonde_check_location_results_total',
    help: 'Final results of a check in the location, by status',
    type: 'counter',
    samples: ({ labels, counts }) =>
      RESULTS.map(([status, column]) => ({
        labels: addLabel(labels, 'status', status),
        value: counts[column],
      })),
  },
];

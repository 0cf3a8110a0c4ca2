/** Formats the series of each check for /metrics: its verdict, its last session, and its sessions by status. */
import { TERMINAL_CHECK_SESSION_STATUSES } from '../../../contract/enumerations.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SessionCounts } from '../../engine/schedule/watchdog.ts';
import type { CheckActivity } from '../../store/check-activity.ts';
import type { Store } from '../../store/index.ts';
import {
  type CheckLocationMetrics,
  formatCheckLocationMetrics,
  readCheckLocationMetrics,
} from './check-location-metrics.ts';
import { addLabel, formatFamily, formatLabels, type MetricSample } from './metric-families.ts';

export interface CheckMetrics {
  readonly checks: readonly CheckActivity[];
  /** Number of checks that the limit excludes. */
  readonly omitted: number;
  readonly locations: CheckLocationMetrics;
  /** Ended sessions of a check since the start of this process, by status. */
  readonly sessionsOf: (checkId: string) => SessionCounts;
}

/**
 * Returns a function that reads the state of at most `limit` checks, of one account or of all. The oldest checks come
 * first, so that the same checks have series in every scrape. 0 turns the series off.
 */
export const readCheckMetrics =
  (
    store: Pick<Store, 'checkActivity' | 'checkLocations'>,
    { sessionsOf }: Pick<Engine, 'sessionsOf'>,
    limit: number,
  ) =>
  async (accountId: string | undefined): Promise<CheckMetrics | undefined> => {
    if (limit === 0) return undefined;
    const checks = await store.checkActivity.list(limit, accountId);
    const total = checks.length < limit ? checks.length : await store.checkActivity.count(accountId);
    const locations = await readCheckLocationMetrics(store, checks);
    return { checks, omitted: Math.max(0, total - checks.length), locations, sessionsOf };
  };

/**
 * Returns the series of the checks in Prometheus text format. A check without an ended session has only the counters, and
 * so has a deactivated one, about which nobody wants alerts.
 */
export function formatCheckMetrics({ checks, omitted, locations, sessionsOf }: CheckMetrics): string {
  const labelled = checks.map((check) => {
    const { id, name, type } = check;
    return { check, labels: formatLabels({ check_id: id, name, type }) };
  });
  const samplesOf = (measure: (check: CheckActivity) => number | undefined): MetricSample[] =>
    labelled.flatMap(({ check, labels }) => {
      const value = check.active === 0 ? undefined : measure(check);
      return value === undefined ? [] : [{ labels, value }];
    });
  return [
    formatFamily({
      name: 'sonde_check_up',
      help: '1 if the last session with a verdict passed or was degraded, 0 if it failed',
      type: 'gauge',
      samples: samplesOf(({ status }) => (status === null ? undefined : Number(status !== 'failing'))),
    }),
    formatFamily({
      name: 'sonde_check_degraded',
      help: '1 if the last session with a verdict was degraded',
      type: 'gauge',
      samples: samplesOf(({ status }) => (status === null ? undefined : Number(status === 'degraded'))),
    }),
    formatFamily({
      name: 'sonde_check_last_duration_seconds',
      help: 'Duration of the last ended session with its retries, in seconds',
      type: 'gauge',
      samples: samplesOf(({ startedAt, stoppedAt }) =>
        startedAt === null || stoppedAt === null ? undefined : Math.max(0, stoppedAt - startedAt) / 1000,
      ),
    }),
    formatFamily({
      name: 'sonde_check_last_run_timestamp_seconds',
      help: 'Start of the last ended session, in seconds since 1970',
      type: 'gauge',
      samples: samplesOf(({ startedAt }) => (startedAt === null ? undefined : startedAt / 1000)),
    }),
    formatFamily({
      name: 'sonde_check_sessions_ended_total',
      help: 'Sessions of a check ended since the start of the service, by status',
      type: 'counter',
      samples: labelled.flatMap(({ check, labels }) => {
        const counts = sessionsOf(check.id);
        return TERMINAL_CHECK_SESSION_STATUSES.map((status) => ({
          labels: addLabel(labels, 'status', status),
          value: counts[status] ?? 0,
        }));
      }),
    }),
    formatFamily({
      name: 'sonde_checks_omitted',
      help: 'Checks without series, because there are more than --metrics-checks allows',
      type: 'gauge',
      samples: [{ value: omitted }],
    }),
    formatCheckLocationMetrics(locations),
  ].join('');
}

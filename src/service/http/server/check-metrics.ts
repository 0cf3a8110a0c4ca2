/**
 * Renders the series of each check for /metrics: its verdict, its last session, its sessions by status, and its locations.
 * The text of a check is rendered again only after its activity changed.
 */
import { TERMINAL_CHECK_SESSION_STATUSES } from '../../../contract/enumerations.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SessionCounts } from '../../engine/schedule/watchdog.ts';
import { type CheckActivity, type CheckActivityText, parseActivity } from '../../store/check-activity.ts';
import type { Store } from '../../store/index.ts';
import { LOCATION_FAMILIES, labelLocations, MAX_METRIC_LOCATIONS } from './check-location-metrics.ts';
import {
  addLabel,
  defineGauge,
  formatFamily,
  formatHeader,
  formatLabels,
  formatSamples,
  type MetricSample,
  type SeriesFamily,
} from './metric-families.ts';

/** A check with its labels, which are formatted once because it has many series. */
interface LabelledCheck extends CheckActivity {
  readonly labels: string;
  /** Ended sessions since the start of this process, by status. */
  readonly sessions: SessionCounts;
}

/** The series of a check. A check without an ended session has only the counters. */
const CHECK_FAMILIES: readonly SeriesFamily<LabelledCheck>[] = [
  defineGauge(
    'sonde_check_up',
    '1 if the last session with a verdict passed or was degraded, 0 if it failed',
    ({ status }) => (status === null ? null : Number(status !== 'failing')),
  ),
  defineGauge('sonde_check_degraded', '1 if the last session with a verdict was degraded', ({ status }) =>
    status === null ? null : Number(status === 'degraded'),
  ),
  defineGauge(
    'sonde_check_last_duration_seconds',
    'Duration of the last ended session with its retries, in seconds',
    ({ lastEnded }) => lastEnded && Math.max(0, lastEnded.stoppedAt - lastEnded.startedAt) / 1000,
  ),
  defineGauge(
    'sonde_check_last_run_timestamp_seconds',
    'Start of the last ended session, in seconds since 1970',
    ({ lastEnded }) => lastEnded && lastEnded.startedAt / 1000,
  ),
  {
    name: 'sonde_check_sessions_ended_total',
    help: 'Sessions of a check ended since the start of the service, by status',
    type: 'counter',
    samples: ({ labels, sessions }) =>
      TERMINAL_CHECK_SESSION_STATUSES.map((status) => ({
        labels: addLabel(labels, 'status', status),
        value: sessions[status] ?? 0,
      })),
  },
];

/** The rendered series of a check, valid while its activity and the number of its sessions are unchanged. */
interface RenderedCheck {
  readonly activity: string;
  readonly sessionCount: number;
  /** By family. */
  readonly checkSeries: readonly Buffer[];
  readonly locationSeries: readonly Buffer[];
  readonly omittedLocations: number;
}

/** Sessions are only ever added, so their number changes with each count. */
const countSessions = (sessions: SessionCounts): number =>
  TERMINAL_CHECK_SESSION_STATUSES.reduce((sum, status) => sum + (sessions[status] ?? 0), 0);

const encodeSamples = (name: string, samples: readonly MetricSample[]): Buffer =>
  Buffer.from(formatSamples(name, samples));

function renderCheck({ id, text }: CheckActivityText, sessions: SessionCounts): RenderedCheck {
  const check = parseActivity(text);
  const { name, type, locations } = check;
  const labelled = { ...check, sessions, labels: formatLabels({ check_id: id, name, type }) };
  const located = labelLocations(id, check);
  return {
    activity: text,
    sessionCount: countSessions(sessions),
    checkSeries: CHECK_FAMILIES.map(({ name, samples }) => encodeSamples(name, samples(labelled))),
    locationSeries: LOCATION_FAMILIES.map(({ name, samples }) =>
      encodeSamples(name, located.flatMap(samples)),
    ),
    omittedLocations: Math.max(0, locations.length - MAX_METRIC_LOCATIONS),
  };
}

const encodeHeader = (family: SeriesFamily<never>): Buffer => Buffer.from(formatHeader(family));
const encodeOmitted = (name: string, help: string, value: number): Buffer =>
  Buffer.from(formatFamily({ name, help, type: 'gauge', samples: [{ value }] }));

/** Returns the parts of the Prometheus text format. `omitted`: the number of checks that the limit excludes. */
function partsOf(checks: readonly RenderedCheck[], omitted: number): Buffer[] {
  const parts: Buffer[] = [];
  const add = (families: readonly SeriesFamily<never>[], of: 'checkSeries' | 'locationSeries') => {
    for (const [index, family] of families.entries()) {
      parts.push(encodeHeader(family));
      for (const check of checks) {
        const series = check[of][index];
        if (series !== undefined && series.length > 0) parts.push(series);
      }
    }
  };
  add(CHECK_FAMILIES, 'checkSeries');
  parts.push(
    encodeOmitted(
      'sonde_checks_omitted',
      'Checks without series, because there are more than --metrics-checks allows',
      omitted,
    ),
  );
  add(LOCATION_FAMILIES, 'locationSeries');
  parts.push(
    encodeOmitted(
      'sonde_check_locations_omitted',
      `Locations without series, because their check has more than ${MAX_METRIC_LOCATIONS}`,
      checks.reduce((sum, check) => sum + check.omittedLocations, 0),
    ),
  );
  return parts;
}

/**
 * Returns a function that renders the series of at most `limit` checks, of one account or of all, in parts; undefined if
 * `limit` is 0. The oldest checks come first, so that the same checks have series in every scrape.
 */
export function createCheckMetrics(
  { checkActivity }: Pick<Store, 'checkActivity'>,
  { sessionsOf }: Pick<Engine, 'sessionsOf'>,
  limit: number,
) {
  const rendered = new Map<string, RenderedCheck>();

  function render(check: CheckActivityText): RenderedCheck {
    const sessions = sessionsOf(check.id);
    const known = rendered.get(check.id);
    if (known?.activity === check.text && known.sessionCount === countSessions(sessions)) return known;
    const anew = renderCheck(check, sessions);
    rendered.set(check.id, anew);
    return anew;
  }
  /** Keeps the texts of the checks of two scrapes at most, because each account has its own checks. */
  function evictUnless(checks: readonly CheckActivityText[]): void {
    if (rendered.size <= 2 * limit) return;
    const ids = new Set(checks.map(({ id }) => id));
    for (const id of rendered.keys()) if (!ids.has(id)) rendered.delete(id);
  }

  return async (accountId: string | undefined): Promise<Buffer[] | undefined> => {
    if (limit === 0) return undefined;
    const checks = await checkActivity.list(limit, accountId);
    const total = checks.length < limit ? checks.length : await checkActivity.count(accountId);
    const parts = partsOf(checks.map(render), Math.max(0, total - checks.length));
    evictUnless(checks);
    return parts;
  };
}

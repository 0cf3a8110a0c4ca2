/** Loads the data of the page of a check. Every list is bounded. */
import { DEFAULT_SUITE_RUNS } from '../../../../contract/analytics-metrics.ts';
import { type CheckStatistics, readCheckStatistics } from '../../../engine/results/check-statistics.ts';
import { subjectsOf } from '../../../engine/sessions/settings.ts';
import { engineStore } from '../../../store/engine/index.ts';
import type { ResultRecord } from '../../../store/engine/results.ts';
import { PERIOD_MS, percentile, periodStart } from '../../../store/engine/rollup-periods.ts';
import type { CheckRecord, Store } from '../../../store/index.ts';

const MAX_RESULTS = 20;
/** Hours of the chart by location. */
const HOURS = 24;
/** Maximum number of locations in the chart, as many as charts have colors. */
const MAX_LOCATIONS = 6;
/** More than a check has in a day: one roll-up for each hour and location. */
const MAX_ROLL_UPS = 2000;

export type CheckView = NonNullable<Awaited<ReturnType<typeof loadCheck>>>;

/** The median response times of a location by hour, in ms; null: not measured. */
export interface LocationTimes {
  readonly location: string;
  readonly p50: readonly (number | null)[];
}

/** Returns the response times of the locations with the most results, by name. */
async function loadLocationTimes(
  store: Store,
  accountId: string,
  checkId: string,
  now: number,
): Promise<LocationTimes[]> {
  const first = periodStart('HOUR', now) - (HOURS - 1) * PERIOD_MS.HOUR;
  const filter = { accountId, checkId, period: 'HOUR', from: first, limit: MAX_ROLL_UPS } as const;
  const { rows } = await engineStore(store).snapshot(({ rollUps }) => rollUps.list(filter));
  const byLocation = new Map<string, { count: number; p50: (number | null)[] }>();
  for (const { location, startsAt, times } of rows) {
    const known = byLocation.get(location) ?? { count: 0, p50: Array<number | null>(HOURS).fill(null) };
    const median = percentile(times, 0.5);
    known.count += times.count;
    if (median !== undefined) known.p50[(startsAt - first) / PERIOD_MS.HOUR] = median / 1000;
    byLocation.set(location, known);
  }
  return [...byLocation]
    .filter(([, { count }]) => count > 0)
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, MAX_LOCATIONS)
    .map(([location, { p50 }]) => ({ location, p50 }))
    .sort((one, other) => (one.location < other.location ? -1 : 1));
}

async function loadResults(store: Store, accountId: string, checkId: string): Promise<ResultRecord[]> {
  const filter = { accountId, checkId, resultType: 'FINAL', limit: MAX_RESULTS } as const;
  const { chunks } = await engineStore(store).results.list(filter, 0);
  const results: ResultRecord[] = [];
  for await (const chunk of chunks) results.push(...chunk);
  return results;
}

/** Returns the tests of the latest results of a Playwright suite, oldest first. */
const loadSuiteRuns = (store: Store, { accountId, id, type }: CheckRecord) =>
  type === 'PLAYWRIGHT'
    ? engineStore(store).suiteRuns.latest({ accountId, checkId: id, limit: DEFAULT_SUITE_RUNS })
    : [];

/** Returns the alert channels that are subscribed to the check or its group, without their secrets. */
async function loadChannels(store: Store, accountId: string, checkId: string, groupId: number | null) {
  const subscriptions = [
    ...(await store.subscriptions.ofTarget(accountId, { checkId })),
    ...(groupId === null ? [] : await store.subscriptions.ofTarget(accountId, { groupId })),
  ];
  const ids = subscriptions.filter(({ activated }) => activated).map(({ channelId }) => channelId);
  const channels = await store.alertChannels.byIds(accountId, [...new Set(ids)]);
  return channels.map(({ id, body: { type, config } }) => {
    const { name, address, number } = config as Readonly<Record<string, unknown>>;
    const label = [name, address, number].find((text) => typeof text === 'string' && text !== '');
    return { id, type, label: String(label ?? id) };
  });
}

/** Returns the check of an account with what its page shows; undefined if it does not exist. */
export async function loadCheck(store: Store, accountId: string, id: string, now: number) {
  const check = await store.checks.get(accountId, id);
  if (check === undefined) return undefined;
  const data = engineStore(store);
  const [subject] = await subjectsOf(data, [check]);
  if (subject === undefined) return undefined;
  const statistics = (await readCheckStatistics(data, [id], now, { hasDays: true })).get(
    id,
  ) as CheckStatistics;
  const incidentId = await store.incidents.openedBy(accountId, id);
  return {
    now,
    ...subject,
    activated: subject.settings.activated,
    statistics,
    locationTimes: await loadLocationTimes(store, accountId, id, now),
    suiteRuns: await loadSuiteRuns(store, check),
    results: await loadResults(store, accountId, id),
    incident: incidentId === undefined ? undefined : await store.incidents.get(accountId, incidentId),
    channels: await loadChannels(store, accountId, id, check.groupId),
  };
}

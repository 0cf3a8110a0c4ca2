/** Loads the data of the home page. Every list is bounded. */

import { SEVERITIES } from '../../../../contract/enumerations.ts';
import { readCheckStatistics } from '../../../engine/results/check-statistics.ts';
import { subjectsOf } from '../../../engine/sessions/settings.ts';
import { nextPeriod } from '../../../maintenance/periods.ts';
import { loadWindows } from '../../../maintenance/windows.ts';
import { buildPagePath } from '../../../notify/subscribers/messages.ts';
import { engineStore } from '../../../store/engine/index.ts';
import {
  type CheckRecord,
  type CheckStatus,
  type IncidentRecord,
  MAX_COUNTED,
  type Store,
} from '../../../store/index.ts';
import { incidentTimes } from '../../../store/status-pages.ts';
import { AGENT_TIMEOUT_MS } from '../../api/private-locations.ts';
import { dashboardPath } from '../dashboards/dashboard-path.ts';
import { findReason } from '../run-components.ts';
import { type HomeFilter, PAGE_SIZE } from './check-filter.ts';

/** Maximum number of rows of each list besides the checks. */
const MAX_ROWS = 10;
const DAY_MS = 24 * 60 * 60_000;
const FAILED_SINCE_MS = 7 * DAY_MS;

export type HomeView = Awaited<ReturnType<typeof loadHome>>;
export type CheckRow = HomeView['checks'][number];

/** Returns why each check is failing or degraded, according to its last bad result, which may be gone. */
async function loadReasons(
  store: Store,
  accountId: string,
  checks: readonly CheckRecord[],
): Promise<ReadonlyMap<string, string>> {
  const { results } = engineStore(store);
  const reasons = new Map<string, string>();
  const statuses = new Map(checks.map(({ id, status }) => [id, status]));
  for (const { checkId, status, resultId } of await store.checkLocations.ofChecks([...statuses.keys()])) {
    if (status !== statuses.get(checkId) || resultId === null || reasons.has(checkId)) continue;
    const result = await results.get(accountId, resultId);
    const reason = result && findReason(result);
    if (reason !== undefined) reasons.set(checkId, reason);
  }
  return reasons;
}

async function loadChecks(
  store: Store,
  accountId: string,
  { status, tag, search, page }: HomeFilter,
  now: number,
) {
  const filter = {
    // A paused check keeps its last verdict, which says nothing about now.
    ...(status === undefined ? {} : { status, isActive: true }),
    ...(tag === '' ? {} : { tags: [tag] }),
    ...(search === '' ? {} : { search }),
  };
  const active = (status: CheckStatus) => ({ status, isActive: true });
  const [listed, found, total] = [
    await store.checks.list(accountId, { ...filter, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    await store.checks.count(accountId, filter),
    await store.checks.count(accountId),
  ];
  const problems = [
    ...(await store.checks.list(accountId, { ...active('failing'), limit: MAX_ROWS })),
    ...(await store.checks.list(accountId, { ...active('degraded'), limit: MAX_ROWS })),
  ].slice(0, MAX_ROWS);
  const data = engineStore(store);
  const subjects = await subjectsOf(data, [
    ...new Map([...listed, ...problems].map((check) => [check.id, check])).values(),
  ]);
  const ids = subjects.map(({ check }) => check.id);
  const lastRuns = await store.checkActivity.lastRuns(ids);
  const statistics = await readCheckStatistics(data, ids, now);
  const rows = new Map(
    subjects.map(({ check: { id, name, type, status }, settings: { activated, tags } }) => [
      id,
      {
        ...{ id, name, type, status, activated, tags },
        lastRunAt: lastRuns.get(id),
        availability: statistics.get(id)?.availability['24h'] ?? null,
      },
    ]),
  );
  const toRows = (checks: readonly CheckRecord[], reasons?: ReadonlyMap<string, string>) =>
    checks.flatMap(({ id }) => {
      const row = rows.get(id);
      return row === undefined ? [] : { ...row, reason: reasons?.get(id) };
    });
  return {
    checks: toRows(listed),
    problems: toRows(problems, await loadReasons(store, accountId, problems)),
    counts: {
      found,
      total,
      failing: await store.checks.count(accountId, active('failing')),
      degraded: await store.checks.count(accountId, active('degraded')),
      passing: await store.checks.count(accountId, active('passing')),
      isExact: total <= MAX_COUNTED,
    },
  };
}

async function loadMaintenance(store: Store, accountId: string, now: number) {
  const windows = await loadWindows(store, accountId);
  const { open } = windows.at(now);
  const openIds = new Set(open.map(({ window }) => window.id));
  const next = windows.all
    .filter(({ id }) => !openIds.has(id))
    .flatMap((window) => {
      const period = nextPeriod(window, now);
      return period === undefined ? [] : [{ window, period }];
    })
    .sort((one, other) => one.period.startsAt - other.period.startsAt);
  return [
    ...open.map((each) => ({ ...each, isOpen: true })),
    ...next.map((each) => ({ ...each, isOpen: false })),
  ]
    .slice(0, MAX_ROWS)
    .map(({ window: { id, body }, period, isOpen }) => ({ id, name: body.name, ...period, isOpen }));
}

async function loadLocations(store: Store, accountId: string, now: number) {
  const locations = await store.privateLocations.list(accountId, { limit: MAX_ROWS });
  const ids = locations.map(({ id }) => id);
  const presence = await store.privateLocations.presence(accountId, ids, now - AGENT_TIMEOUT_MS);
  return locations.map(({ id, body }) => {
    const { lastSeen = null, agentCount = 0 } = presence.get(id) ?? {};
    return { id, name: body.name, slug: body.slugName, lastSeen, agentCount };
  });
}

async function loadFailedDeliveries(store: Store, accountId: string, now: number) {
  const filter = { accountId, state: 'FAILED', from: now - FAILED_SINCE_MS, limit: MAX_ROWS } as const;
  const { rows } = await store.outbox.alerts(filter);
  const checks = await store.checks.byIds(
    accountId,
    rows.flatMap(({ check_id }) => check_id ?? []),
  );
  return rows.map(({ kind, recipient, check_id: checkId, last_error: error, ended_at: endedAt }) => ({
    ...{ kind, recipient, error, endedAt },
    /** Undefined if the check was deleted. */
    check: checks.find(({ id }) => id === checkId),
  }));
}

export async function loadHome(store: Store, accountId: string, filter: HomeFilter, now: number) {
  const { rows: sessions } = await engineStore(store).sessions.list({ accountId, limit: MAX_ROWS });
  const severityOf = ({ body }: IncidentRecord) => (SEVERITIES as readonly string[]).indexOf(body.severity);
  const incidents = (await store.incidents.since(accountId, now))
    .filter(({ body }) => incidentTimes(body).resolved_at === null)
    .sort((one, other) => severityOf(one) - severityOf(other))
    .slice(0, MAX_ROWS);
  return {
    now,
    filter,
    ...(await loadChecks(store, accountId, filter, now)),
    sessions,
    incidents: incidents.map(({ id, body }) => ({
      ...{ id, name: body.name, severity: body.severity, openedAt: incidentTimes(body).opened_at },
    })),
    windows: await loadMaintenance(store, accountId, now),
    locations: await loadLocations(store, accountId, now),
    dashboards: (await store.dashboards.list(accountId, { limit: MAX_ROWS })).map(({ id, body }) => ({
      name: body.header || body.customUrl || 'Dashboard',
      path: dashboardPath(body.customUrl || id),
    })),
    statusPages: (await store.statusPages.list(accountId, { limit: MAX_ROWS })).map(({ body }) => ({
      name: body.name,
      path: buildPagePath(body.url),
    })),
    deliveries: await loadFailedDeliveries(store, accountId, now),
  };
}

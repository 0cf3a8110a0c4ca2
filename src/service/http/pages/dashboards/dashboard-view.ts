/** Loads the data of a dashboard: the checks of its tags with their statistics, filtered, sorted and by page. */

import type { FastifyRequest } from 'fastify';
import { type CheckStatistics, readCheckStatistics } from '../../../engine/results/check-statistics.ts';
import { engineStore } from '../../../store/engine/index.ts';
import type { SessionRecord } from '../../../store/engine/sessions.ts';
import { incidentUpdateTime } from '../../../store/incident-course.ts';
import type { CheckOverview, DashboardRecord, Store } from '../../../store/index.ts';
import { incidentTimes } from '../../../store/status-pages.ts';
import { type State, stateOfSeverity } from '../history.ts';
import { readQuery } from '../read-query.ts';

export const STATES = ['failing', 'degraded', 'passing', 'unknown', 'paused'] as const;
export type CheckState = (typeof STATES)[number];
export const SORTS = ['name', 'status', 'availability', 'response'] as const;
export type Sort = (typeof SORTS)[number];

/** The part of a dashboard that a URL selects. */
export interface Selection {
  readonly status: CheckState | undefined;
  readonly sort: Sort;
  /** From 1. */
  readonly page: number;
  /** The ID of the check whose page is shown. */
  readonly check: string | undefined;
  /** Whether the reader paused the refresh. */
  readonly isPaused: boolean;
}

/** A page without pagination has at most this many checks. */
const MAX_CHECKS = 1000;
/** A page with more checks lists them without charts. */
const MAX_EXPANDED = 50;
/** Number of latest sessions that a check links to. */
const LATEST_SESSIONS = 5;
const MAX_INCIDENTS = 20;

export type ListedCheck = CheckOverview & { readonly state: CheckState };
export type CheckView = ListedCheck & {
  readonly statistics: CheckStatistics;
  /** Empty unless the dashboard shows them. */
  readonly sessions: readonly SessionRecord[];
};

export interface DashboardView {
  readonly dashboard: DashboardRecord;
  readonly selection: Selection;
  readonly now: number;
  /** Number of checks by state, whatever the filter. */
  readonly counts: Readonly<Record<CheckState, number>>;
  readonly checks: readonly CheckView[];
  /** Whether each check has its charts. */
  readonly isExpanded: boolean;
  readonly pages: number;
  /** Number of checks that pass the filter. */
  readonly found: number;
  readonly incidents: readonly DashboardIncident[];
}

/** An incident of the dashboard, or one that its checks opened. */
export interface DashboardIncident {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  /** Ms since the epoch; null if unknown. */
  readonly since: number | null;
  readonly latest: { readonly status: string; readonly description: string; readonly at: number } | undefined;
}

/** Reads the selection of a request. Ignores values that are not valid. */
export function readSelection(request: FastifyRequest, { body }: DashboardRecord): Selection {
  const query = readQuery(request);
  const page = Math.trunc(Number(query.get('page')));
  const check = query.get('check') ?? undefined;
  return {
    status: STATES.find((state) => state === query.get('status')),
    sort:
      SORTS.find((sort) => sort === query.get('sort')) ?? (body.sortByStatus === true ? 'status' : 'name'),
    page: page >= 1 ? Math.min(page, 1_000_000) : 1,
    check: check !== undefined && /^[0-9a-f-]{36}$/.test(check) ? check : undefined,
    isPaused: query.get('refresh') === 'off',
  };
}

const stateOf = ({ isActive, status }: CheckOverview): CheckState =>
  isActive ? (status ?? 'unknown') : 'paused';

/** Returns the checks in order. Checks without a value come last, and equal ones stay sorted by name. */
function sortChecks(
  checks: readonly ListedCheck[],
  sort: Sort,
  statistics: ReadonlyMap<string, CheckStatistics>,
): ListedCheck[] {
  const rankOf = (check: ListedCheck): number => {
    if (sort === 'status') return STATES.indexOf(check.state);
    const own = statistics.get(check.id);
    if (sort === 'availability') return own?.availability['24h'] ?? Number.POSITIVE_INFINITY;
    return own?.times === null || own === undefined ? 1 : -own.times.p95;
  };
  return sort === 'name' ? [...checks] : checks.toSorted((one, other) => rankOf(one) - rankOf(other) || 0);
}

/** Returns the open incidents of the services of the checks. */
async function loadCheckIncidents(
  store: Store,
  accountId: string,
  checks: readonly ListedCheck[],
  now: number,
): Promise<DashboardIncident[]> {
  const services = new Set(await store.checkOverview.incidentServices(checks.map(({ id }) => id)));
  if (services.size === 0) return [];
  return (await store.incidents.since(accountId, now))
    .filter(({ body }) => incidentTimes(body).resolved_at === null)
    .filter(({ body }) => body.services.some(({ id }) => services.has(id)))
    .slice(0, MAX_INCIDENTS)
    .map(({ id, body }) => ({
      ...{ id, name: body.name, state: stateOfSeverity(body.severity) },
      ...{ since: incidentTimes(body).opened_at, latest: latestOf(body.incidentUpdates) },
    }));
}

/** Returns the newest update. Updates are sorted newest first. */
function latestOf([latest]: readonly (Parameters<typeof incidentUpdateTime>[0] & {
  readonly status: string;
  readonly description: string;
})[]): DashboardIncident['latest'] {
  if (latest === undefined) return undefined;
  return { status: latest.status, description: latest.description, at: incidentUpdateTime(latest) };
}

/** Returns the incidents that people opened on the dashboard itself. */
async function loadOwnIncidents(
  store: Store,
  { id }: DashboardRecord,
  now: number,
): Promise<DashboardIncident[]> {
  return (await store.dashboardIncidents.shownAt(id, now, MAX_INCIDENTS)).map(({ id, body, createdAt }) => ({
    ...{ id, name: body.name, latest: latestOf(body.incidentUpdates), since: body.startedAt ?? createdAt },
    state: body.impact === 'MAINTENANCE' ? 'maintenance' : stateOfSeverity(body.impact),
  }));
}

/** Returns the incidents that the dashboard shows: its own ones first. */
async function loadIncidents(
  store: Store,
  dashboard: DashboardRecord,
  checks: readonly ListedCheck[],
  now: number,
): Promise<DashboardIncident[]> {
  if (dashboard.body.enableIncidents !== true) return [];
  const own = await loadOwnIncidents(store, dashboard, now);
  const ofChecks = await loadCheckIncidents(store, dashboard.accountId, checks, now);
  return [...own, ...ofChecks].slice(0, MAX_INCIDENTS);
}

/** What all selections of a dashboard share. */
export interface DashboardData {
  readonly now: number;
  readonly all: readonly ListedCheck[];
  readonly counts: DashboardView['counts'];
  /** Returns the statistics of the checks, and maybe of others; each is read once. */
  readonly read: (
    checks: readonly ListedCheck[],
    hasDays: boolean,
  ) => Promise<ReadonlyMap<string, CheckStatistics>>;
  readonly incidents: readonly DashboardIncident[];
}

/** Returns a function that reads the statistics of checks as of `now`, of each check once. */
function createStatisticsReader(store: Store, now: number): DashboardData['read'] {
  const engine = engineStore(store);
  const known = { withDays: new Map<string, CheckStatistics>(), sums: new Map<string, CheckStatistics>() };
  return async (checks, hasDays) => {
    const statistics = hasDays ? known.withDays : known.sums;
    const missing = checks.filter(({ id }) => !statistics.has(id)).map(({ id }) => id);
    if (missing.length > 0)
      for (const [id, each] of await readCheckStatistics(engine, missing, now, { hasDays }))
        statistics.set(id, each);
    return statistics;
  };
}

export async function loadDashboardData(
  store: Store,
  dashboard: DashboardRecord,
  now: number,
): Promise<DashboardData> {
  const { accountId, body } = dashboard;
  const tags = body.tags ?? [];
  const groups = body.useTagsAndOperator === true ? [tags] : tags.map((tag) => [tag]);
  const overview = await store.checkOverview.list(accountId, tags.length === 0 ? undefined : groups);
  const all = overview.map((check): ListedCheck => ({ ...check, state: stateOf(check) }));
  const counts = { failing: 0, degraded: 0, passing: 0, unknown: 0, paused: 0 };
  for (const { state } of all) counts[state] += 1;
  return {
    ...{ now, all, counts, read: createStatisticsReader(store, now) },
    incidents: await loadIncidents(store, dashboard, all, now),
  };
}

const pageSize = ({ body }: DashboardRecord): number =>
  body.paginate === false ? MAX_CHECKS : (body.checksPerPage ?? 15);

/**
 * Returns the selection with a page that exists, so that addresses that show the same are equal; undefined for a check
 * that the dashboard does not have.
 */
export function narrowSelection(
  { all }: DashboardData,
  dashboard: DashboardRecord,
  selection: Selection,
): Selection | undefined {
  const { check, status } = selection;
  if (check !== undefined && !all.some(({ id }) => id === check)) return undefined;
  const listed = status === undefined ? all.length : all.filter(({ state }) => state === status).length;
  const pages = Math.max(1, Math.ceil(listed / pageSize(dashboard)));
  return { ...selection, page: Math.min(selection.page, pages) };
}

/** Returns what a selection of a dashboard shows. */
export async function selectView(
  store: Store,
  dashboard: DashboardRecord,
  { now, all, counts, read, incidents }: DashboardData,
  selection: Selection,
): Promise<DashboardView> {
  const { accountId, body } = dashboard;
  const found = all.filter(({ id, state }) =>
    selection.check === undefined ? (selection.status ?? state) === state : id === selection.check,
  );

  const engine = engineStore(store);
  const needsAll = selection.sort === 'availability' || selection.sort === 'response';
  const ofAll: ReadonlyMap<string, CheckStatistics> = needsAll ? await read(found, false) : new Map();
  const size = pageSize(dashboard);
  // The page of a check leads back to the page of the list that it is on.
  const page = selection.check === undefined ? selection.page : 1;
  const shown = sortChecks(found, selection.sort, ofAll).slice((page - 1) * size, page * size);
  const isExpanded =
    selection.check !== undefined || (body.expandChecks === true && shown.length <= MAX_EXPANDED);
  const statistics = needsAll && !isExpanded ? ofAll : await read(shown, isExpanded);

  const checks: CheckView[] = [];
  for (const check of shown) {
    const own = statistics.get(check.id);
    if (own === undefined) continue;
    const filter = { accountId, checkId: check.id, limit: LATEST_SESSIONS };
    const sessions =
      isExpanded && body.showCheckRunLinks === true ? (await engine.sessions.list(filter)).rows : [];
    checks.push({ ...check, statistics: own, sessions });
  }
  return {
    dashboard,
    selection,
    now,
    counts,
    checks,
    isExpanded,
    pages: Math.max(1, Math.ceil(found.length / size)),
    found: found.length,
    incidents,
  };
}

/** Loads the data of a status page: services with state and history, incidents and maintenance. */

import type { Zone } from '../../../../calendar/zone.ts';
import { readCheckStatistics } from '../../../engine/results/check-statistics.ts';
import { getPageMaintenance, type PageWindow } from '../../../maintenance/effects.ts';
import { loadWindows } from '../../../maintenance/windows.ts';
import { engineStore } from '../../../store/engine/index.ts';
import { type IncidentSpan, incidentSpans, incidentUpdateTime } from '../../../store/incident-course.ts';
import type {
  IncidentHistory,
  PageAccess,
  ServiceRecord,
  StatusPageCard,
  StatusPageRecord,
  Store,
} from '../../../store/index.ts';
import { incidentTimes } from '../../../store/status-pages.ts';
import { hiddenServices, visibleCards, visibleServiceIds } from '../../../store/visible-services.ts';
import {
  buildHistory,
  type History,
  historyStart,
  overallState,
  type State,
  stateOfSeverity,
  worstState,
} from '../history.ts';

/** The data of a page at an instant. It changes by time alone only at midnight and when a window starts or ends. */
export type StatusView = Awaited<ReturnType<typeof loadStatusView>>;
/** A service as a page shows it. `history` is undefined if the page omits its uptime bars. */
export interface ServiceView {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly state: State;
  readonly history: ((zone: Zone) => History) | undefined;
}
export type IncidentView = StatusView['open'][number];
export type MaintenanceView = StatusView['upcoming'][number];

/** Maximum number of open incidents, past incidents and upcoming windows on a page. */
const MAX_OPEN = 50;
const MAX_PAST = 20;
const MAX_UPCOMING = 5;
/** Maximum length of all updates on a page, in characters, because anyone can request it. */
const MAX_UPDATE_CHARACTERS = 500_000;

/** An incident with the times for which it was open, as readers of its pages saw them. */
interface SeenIncident extends IncidentHistory {
  readonly spans: readonly IncidentSpan[];
}

const isOpen = ({ body }: SeenIncident): boolean => body.lastUpdateStatus !== 'RESOLVED';

/** Returns the services that an open incident affects, or that a resolved one ever affected while it was open. */
const affectedServices = (incident: SeenIncident): readonly string[] =>
  isOpen(incident)
    ? incident.body.services.map(({ id }) => id)
    : incident.spans.flatMap(({ services }) => services);

/** Maximum number of checks with a chart on a page, because anyone can request it. */
const MAX_CHARTED_CHECKS = 50;

/** Loads the last 24 hours of the checks that open incidents of services. Omits checks that measured no response time. */
async function loadResponseTimes(
  store: Store,
  accountId: string,
  serviceIds: readonly string[],
  now: number,
) {
  const checks = (await store.checkOverview.ofServices(accountId, serviceIds)).slice(0, MAX_CHARTED_CHECKS);
  const statistics = await readCheckStatistics(
    engineStore(store),
    checks.map(({ id }) => id),
    now,
  );
  return checks
    .map(({ id, name, service }) => ({ name, service, hours: statistics.get(id)?.hours() ?? [] }))
    .filter(({ hours }) => hours.some(({ p50 }) => p50 !== null));
}

export async function loadStatusView(store: Store, page: StatusPageRecord, access: PageAccess, now: number) {
  const { accountId, body } = page;
  const stored = await store.services.byIds(accountId, [...visibleServiceIds(page, new Set())]);
  const hidden = hiddenServices(stored);
  const serviceIds = visibleServiceIds(page, hidden);
  const services = new Map(
    stored.filter(({ id }) => !hidden.has(id)).map((service) => [service.id, service]),
  );
  const seen = (await store.incidents.since(accountId, historyStart(now))).map(
    (incident): SeenIncident => ({ ...incident, spans: incidentSpans(incident.body, incident.course, now) }),
  );
  const spans = seen.flatMap((incident) => incident.spans);
  const windows = await loadWindows(store, accountId);
  const maintenance = getPageMaintenance(windows, { id: page.id, serviceIds: [...services.keys()] }, now);
  const namesOf = (ids: readonly string[]) => ids.flatMap((id) => services.get(id)?.body.name ?? []);

  /** Returns the function that computes the history of services together, in a time zone. */
  function historyOf(members: readonly ServiceRecord[]) {
    const ids = new Set(members.map(({ id }) => id));
    const own = spans.filter(({ services: affected }) => affected.some((id) => ids.has(id)));
    const times = [...members.map(({ createdAt }) => createdAt), ...own.map(({ from }) => from)];
    const since = times.reduce((first, time) => Math.min(first, time), now);
    return (zone: Zone) => buildHistory(own, { since, now, zone });
  }
  /** Returns what a card shows of all its services. Only a card that readers can collapse shows it. */
  function toGroupView(card: StatusPageCard, members: readonly ServiceView[]) {
    const isExpanded = card.expandedByDefault ?? undefined;
    if (isExpanded === undefined || card.name === undefined || members.length === 0) return undefined;
    const state = worstState(members.map((member) => member.state));
    const records = members.flatMap(({ id }) => services.get(id) ?? []);
    return {
      state,
      isOpen: isExpanded || state !== 'operational',
      history: card.showHistoricalData === false ? undefined : historyOf(records),
    };
  }

  const responseTimes =
    body.showResponseTimes === true ? await loadResponseTimes(store, accountId, serviceIds, now) : [];
  const serviceViews = new Map(
    [...services].map(([id, service]) => {
      const open = seen.filter((incident) => isOpen(incident) && affectedServices(incident).includes(id));
      const state = worstState([
        ...open.map((incident) => stateOfSeverity(incident.body.severity)),
        ...(maintenance.services.has(id) ? (['maintenance'] as const) : []),
      ]);
      const { name, description, showHistoricalData } = service.body;
      const history = showHistoricalData === false ? undefined : historyOf([service]);
      const view: ServiceView = { id, name, description: description ?? '', state, history };
      return [id, view] as const;
    }),
  );
  const toIncidentView = (incident: SeenIncident) => {
    const affected = affectedServices(incident);
    const { opened_at, resolved_at } = incidentTimes(incident.body);
    return {
      id: incident.id,
      name: incident.body.name,
      severity: incident.body.severity,
      effect: stateOfSeverity(incident.body.severity),
      status: incident.body.lastUpdateStatus,
      // In ms since the epoch; `resolvedAt` is null while the incident is open.
      openedAt: opened_at ?? incident.createdAt,
      resolvedAt: resolved_at,
      // The time for which it was open, without the time between its resolution and its reopening.
      openFor: incident.spans.reduce((sum, { from, to }) => sum + to - from, 0),
      changedAt: incident.updatedAt ?? incident.createdAt,
      services: namesOf(serviceIds.filter((id) => affected.includes(id))),
      // Newest first.
      updates: incident.body.incidentUpdates.map((update) => ({
        status: update.status,
        text: update.description,
        at: incidentUpdateTime(update),
      })),
    };
  };
  const toMaintenanceView = ({ id, serviceIds: affected, ...window }: PageWindow) => ({
    ...window,
    id: String(id),
    services: namesOf(affected),
  });
  let remaining = MAX_UPDATE_CHARACTERS;
  /** Drops updates beyond the limit, but never the newest one. */
  const limitUpdates = (incident: ReturnType<typeof toIncidentView>) => ({
    ...incident,
    updates: incident.updates.filter(({ text }, at) => {
      if (at > 0 && text.length > remaining) return false;
      remaining -= text.length;
      return true;
    }),
  });
  const views = seen
    .filter((incident) => affectedServices(incident).some((id) => serviceIds.includes(id)))
    .map(toIncidentView);
  const open = views.filter(({ resolvedAt }) => resolvedAt === null).slice(0, MAX_OPEN);
  const past = views.filter(({ resolvedAt }) => resolvedAt !== null).slice(0, MAX_PAST);
  return {
    page,
    access,
    state: overallState([...serviceViews.values()].map(({ state }) => state)),
    cards: visibleCards(page, hidden).map((card) => {
      const members = card.services.flatMap(({ id }) => serviceViews.get(id) ?? []);
      const { id, name = '', description } = card;
      return {
        id,
        name,
        description: description ?? '',
        services: members,
        group: toGroupView(card, members),
      };
    }),
    responseTimes: serviceIds.flatMap((id) => {
      const checks = responseTimes.filter(({ service }) => service === id);
      return checks.length === 0 ? [] : { name: services.get(id)?.body.name ?? '', checks };
    }),
    open: open.map(limitUpdates),
    past: past.map(limitUpdates),
    inProgress: maintenance.underWay.map(toMaintenanceView),
    upcoming: maintenance.next.slice(0, MAX_UPCOMING).map(toMaintenanceView),
  };
}

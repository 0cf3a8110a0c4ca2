/** What a status page says, read from the store: its services, their states and histories, incidents and maintenance. */
import { getPageMaintenance, loadWindows, type PageWindow } from '../../maintenance/index.ts';
import { incidentTimes } from '../../store/incident-times.ts';
import type { IncidentRecord, PageAccess, StatusPageRecord, Store } from '../../store/index.ts';
import { type History, historyOf, historyStart, overall, type State, stateOf, worst } from './history.ts';

export interface ShownService {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  readonly history: History;
}

export interface ShownIncident {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly effect: State;
  readonly status: string;
  /** Ms since the epoch; `resolvedAt` null: it is open. */
  readonly openedAt: number;
  readonly resolvedAt: number | null;
  /** Names of the services of this page that it concerns. */
  readonly services: readonly string[];
  /** The newest first. Older ones are missing where a page would become too long. */
  readonly updates: readonly { readonly status: string; readonly text: string; readonly at: number }[];
}

export interface ShownMaintenance extends Omit<PageWindow, 'id' | 'serviceIds'> {
  readonly id: string;
  readonly services: readonly string[];
}

/** All that a page says at an instant; nothing in it changes by the clock alone but at midnight and with a window. */
export interface StatusView {
  readonly page: StatusPageRecord;
  readonly access: PageAccess;
  readonly state: State;
  readonly cards: readonly {
    readonly id: string;
    readonly name: string;
    readonly services: readonly ShownService[];
  }[];
  readonly open: readonly ShownIncident[];
  readonly past: readonly ShownIncident[];
  readonly underWay: readonly ShownMaintenance[];
  readonly coming: readonly ShownMaintenance[];
}

/** How many incidents that are open, or over, and windows to come, a page shows. */
const OPEN = 50;
const PAST = 20;
const COMING = 5;
/** How long the updates of all incidents of a page may be together, in characters: anybody may have it rendered. */
const MOST_TEXT = 500_000;

const concerns = (incident: IncidentRecord, id: string): boolean =>
  incident.body.services.some((service) => service.id === id);

export async function statusView(
  store: Store,
  page: StatusPageRecord,
  access: PageAccess,
  now: number,
): Promise<StatusView> {
  const { accountId, body } = page;
  const carried = [...new Set(body.cards.flatMap(({ services }) => services.map(({ id }) => id)))];
  const services = new Map((await store.services.byIds(accountId, carried)).map((one) => [one.id, one]));
  const incidents = (await store.incidents.since(accountId, historyStart(now))).filter((incident) =>
    carried.some((id) => concerns(incident, id)),
  );
  const windows = await loadWindows(store, accountId);
  const maintenance = getPageMaintenance(windows, { id: page.id, serviceIds: [...services.keys()] }, now);
  const named = (ids: readonly string[]) => ids.flatMap((id) => services.get(id)?.body.name ?? []);

  const shownServices = new Map(
    [...services].map(([id, service]): [string, ShownService] => {
      const its = incidents.filter((incident) => concerns(incident, id));
      const open = its.filter(({ body: { lastUpdateStatus } }) => lastUpdateStatus !== 'RESOLVED');
      const state = worst([
        ...open.map((incident) => stateOf(incident.body.severity)),
        ...(maintenance.services.has(id) ? (['maintenance'] as const) : []),
      ]);
      const since = Math.min(
        service.createdAt,
        ...its.map((one) => incidentTimes(one.body).opened_at ?? now),
      );
      return [id, { id, name: service.body.name, state, history: historyOf(its, since, now) }];
    }),
  );
  const shownIncident = (incident: IncidentRecord): ShownIncident => {
    const { opened_at, resolved_at } = incidentTimes(incident.body);
    return {
      id: incident.id,
      name: incident.body.name,
      severity: incident.body.severity,
      effect: stateOf(incident.body.severity),
      status: incident.body.lastUpdateStatus,
      openedAt: opened_at ?? incident.createdAt,
      resolvedAt: resolved_at,
      services: named(carried.filter((id) => concerns(incident, id))),
      updates: incident.body.incidentUpdates.map(({ status, description, created_at }) => ({
        ...{ status, text: description, at: Date.parse(created_at) },
      })),
    };
  };
  const shownWindow = ({ id, serviceIds, ...window }: PageWindow): ShownMaintenance => ({
    ...window,
    id: String(id),
    services: named(serviceIds),
  });
  let room = MOST_TEXT;
  /** The newest update is always shown. */
  const withinRoom = (incident: ShownIncident): ShownIncident => ({
    ...incident,
    updates: incident.updates.filter(({ text }, at) => {
      if (at > 0 && text.length > room) return false;
      room -= text.length;
      return true;
    }),
  });
  const shown = incidents.map(shownIncident);
  const open = shown.filter(({ resolvedAt }) => resolvedAt === null).slice(0, OPEN);
  const past = shown.filter(({ resolvedAt }) => resolvedAt !== null).slice(0, PAST);
  return {
    ...{ page, access },
    state: overall([...shownServices.values()].map(({ state }) => state)),
    cards: body.cards.map((card) => ({
      id: card.id,
      name: card.name ?? '',
      services: card.services.flatMap(({ id }) => shownServices.get(id) ?? []),
    })),
    open: open.map(withinRoom),
    past: past.map(withinRoom),
    underWay: maintenance.underWay.map(shownWindow),
    coming: maintenance.next.slice(0, COMING).map(shownWindow),
  };
}

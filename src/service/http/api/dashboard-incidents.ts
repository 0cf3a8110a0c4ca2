/** Handles the incidents of dashboards, which people open, update and delete. */
import type {
  BodyOf,
  createDashboardIncidentUpdate,
  ResponseOf,
  updateDashboardIncident,
} from '../../../contract/index.ts';
import type {
  DashboardIncidentBody,
  DashboardIncidentRecord,
  DashboardIncidentUpdate,
} from '../../store/dashboard-incidents.ts';
import { dashboardNumber } from '../../store/dashboards.ts';
import { createDocumentResource, timestamps, toIso, toIsoOrNull } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { parseInstant } from './incident-updates.ts';
import { conflict, invalid, requireFound, violation } from './problem.ts';

type Change = BodyOf<typeof updateDashboardIncident>;
type Shown = ResponseOf<typeof createDashboardIncidentUpdate>;

/** Returns the times that a request gives, in ms. Absent ones stay absent. */
function timesOf(body: Pick<Change, 'startedAt' | 'stoppedAt'>) {
  const times: { startedAt?: number | null; stoppedAt?: number | null } = {};
  for (const field of ['startedAt', 'stoppedAt'] as const) {
    const text = body[field];
    if (text !== undefined) times[field] = text === null ? null : parseInstant(text, [field]);
  }
  return times;
}

/** Throws `Problem` 400 if the incident ends before it starts. */
function assertOrder(incident: DashboardIncidentBody): DashboardIncidentBody {
  const { startedAt, stoppedAt } = incident;
  if (startedAt === null || stoppedAt === null || startedAt <= stoppedAt) return incident;
  throw invalid([violation('body', ['stoppedAt'], 'minimum', 'must not be before startedAt')]);
}

const presentUpdate = (incidentId: string, update: DashboardIncidentUpdate): Shown => ({
  ...update,
  incidentId,
});

function present({ id, body, ...record }: DashboardIncidentRecord) {
  const { dashboardId, startedAt, stoppedAt, incidentUpdates: _, ...fields } = body;
  return {
    id,
    ...fields,
    startedAt: toIsoOrNull(startedAt),
    stoppedAt: toIsoOrNull(stoppedAt),
    dashboardId: dashboardNumber(dashboardId),
    ...timestamps(record),
  };
}

const withUpdates = (record: DashboardIncidentRecord, updates = record.body.incidentUpdates) => ({
  ...present(record),
  incidentUpdates: updates.map((update) => presentUpdate(record.id, update)),
});

const findUpdate = ({ incidentUpdates }: DashboardIncidentBody, id: string): DashboardIncidentUpdate =>
  requireFound(
    incidentUpdates.find((update) => update.id === id),
    `incident update ${id}`,
  );

export function dashboardIncidentHandlers({ store, clock, random }: HandlerContext) {
  const { find, remove } = createDocumentResource({
    collection: store.dashboardIncidents,
    label: 'incident',
    param: 'id',
    present: (all) => all.map(present),
  });

  /** Returns the changed incident. Throws `Problem` 404. */
  const change = async (
    accountId: string,
    id: string,
    changeBody: (before: DashboardIncidentBody) => DashboardIncidentBody,
  ): Promise<DashboardIncidentRecord> =>
    requireFound(await store.dashboardIncidents.change(accountId, id, changeBody), `incident ${id}`);

  const createUpdate = ({
    status,
    description,
  }: BodyOf<typeof createDashboardIncidentUpdate>): DashboardIncidentUpdate => ({
    ...{ id: random.uuid(), status, description },
    ...{ created_at: toIso(clock.now()), updated_at: null },
  });

  return {
    async createDashboardIncident({ accountId, body }) {
      const { dashboardId, incidentUpdates, name, impact = 'MINOR', ...times } = body;
      const incident = assertOrder({
        ...{ dashboardId: '', name, impact, startedAt: null, stoppedAt: null },
        ...timesOf(times),
        incidentUpdates: incidentUpdates.map(createUpdate),
      });
      return withUpdates(
        await store.transaction(async (tx) => {
          const dashboard = await tx.dashboards.byNumber(accountId, dashboardId);
          const { id } = requireFound(dashboard, `dashboard ${dashboardId}`);
          return tx.dashboardIncidents.create(accountId, { ...incident, dashboardId: id });
        }),
      );
    },

    async getDashboardIncident({ accountId, params: { id }, query }) {
      const record = await find(accountId, id);
      const { incidentUpdates: all } = record.body;
      return withUpdates(record, query.includeAllIncidentUpdates ? all : all.slice(0, 1));
    },

    async updateDashboardIncident({ accountId, params: { id }, body }) {
      const { startedAt: _, stoppedAt: __, ...fields } = body;
      const times = timesOf(body);
      return present(
        await change(accountId, id, (before) => assertOrder({ ...before, ...fields, ...times })),
      );
    },

    deleteDashboardIncident: remove,

    async createDashboardIncidentUpdate({ accountId, params: { id }, body }) {
      const update = createUpdate(body);
      await change(accountId, id, (before) => ({
        ...before,
        incidentUpdates: [update, ...before.incidentUpdates],
      }));
      return presentUpdate(id, update);
    },

    async updateDashboardIncidentUpdate({ accountId, params: { id, updateId }, body: { description } }) {
      const { body } = await change(accountId, id, (before) => {
        const changed = { ...findUpdate(before, updateId), description, updated_at: toIso(clock.now()) };
        return {
          ...before,
          incidentUpdates: before.incidentUpdates.map((each) => (each.id === updateId ? changed : each)),
        };
      });
      return presentUpdate(id, findUpdate(body, updateId));
    },

    /** Throws `Problem` 409 for the only update, which gives the incident its status. */
    async deleteDashboardIncidentUpdate({ accountId, params: { id, updateId } }) {
      await change(accountId, id, (before) => {
        findUpdate(before, updateId);
        if (before.incidentUpdates.length === 1)
          throw conflict(
            `Incident update ${updateId} is the only update of incident ${id}: delete the incident instead`,
          );
        return {
          ...before,
          incidentUpdates: before.incidentUpdates.filter((update) => update.id !== updateId),
        };
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

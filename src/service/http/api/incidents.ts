/** Handles incidents of status page services that people open, update and resolve. */
import type { BodyOf, createIncident, ResponseOf, updateIncident } from '../../../contract/index.ts';
import {
  addIncidentUpdate,
  createIncidentUpdate,
  type IncidentUpdate,
  notifyIncidentUpdates,
} from '../../notify/incidents.ts';
import type { IncidentBody, IncidentRecord } from '../../store/documents.ts';
import { presentService } from './document-handlers.ts';
import { applyDefaults, listByCursor, timestamps } from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { invalid, notFound } from './problem.ts';
import { missingServices } from './references.ts';

type Updates = BodyOf<typeof createIncident>['incidentUpdates'];
type Change = BodyOf<typeof updateIncident>;
type IncidentResponse = ResponseOf<typeof createIncident>;

export function incidentHandlers({ store, clock, random }: HandlerContext) {
  const { incidents } = store;

  async function present(accountId: string, records: readonly IncidentRecord[]): Promise<IncidentResponse[]> {
    const ids = records.flatMap(({ body }) => body.services.map(({ id }) => id));
    const services = await store.services.byIds(accountId, [...new Set(ids)]);
    return records.map((record) => ({
      id: record.id,
      ...record.body,
      services: services
        .filter(({ id }) => record.body.services.some((service) => service.id === id))
        .map(presentService),
      ...timestamps(record),
    }));
  }
  async function presentOne(accountId: string, record: IncidentRecord | undefined, id: string) {
    const [response] = record ? await present(accountId, [record]) : [];
    if (!response) throw notFound(`incident ${id}`);
    return response;
  }

  async function assertServices(accountId: string, services: Change['services']): Promise<void> {
    const violations = await missingServices(store, accountId, services ?? [], ['services']);
    if (violations.length > 0) throw invalid(violations);
  }

  /** Returns the new updates, newest first, with the current time. Subscribers receive them in the original order. */
  const toUpdates = (updates: Updates): IncidentUpdate[] =>
    updates
      .map(({ description, status, notifySubscribers = false }) =>
        createIncidentUpdate({ random }, clock.now(), { description, status, notifySubscribers }),
      )
      .reverse();
  const withUpdates = (
    before: Omit<IncidentBody, 'lastUpdateStatus'>,
    updates: readonly IncidentUpdate[],
  ): IncidentBody =>
    updates.reduceRight<IncidentBody>(addIncidentUpdate, { lastUpdateStatus: 'INVESTIGATING', ...before });

  return {
    listIncidents: (call) => listByCursor(incidents, call, (entries) => present(call.accountId, entries)),

    async createIncident({ accountId, endpoint, body }) {
      await assertServices(accountId, body.services);
      const { incidentUpdates, ...fields } = applyDefaults(endpoint, body);
      const updates = toUpdates(incidentUpdates);
      const record = await store.transaction(async (tx) => {
        const created = await tx.incidents.create(
          accountId,
          withUpdates({ ...fields, incidentUpdates: [] }, updates),
        );
        await notifyIncidentUpdates(tx, created, updates);
        return created;
      });
      return presentOne(accountId, record, record.id);
    },

    async getIncident({ accountId, params }) {
      return presentOne(accountId, await incidents.get(accountId, params.id), params.id);
    },

    async updateIncident({ accountId, params, body }) {
      await assertServices(accountId, body.services);
      const { incidentUpdates = [], ...fields } = body;
      const updates = toUpdates(incidentUpdates);
      const record = await store.transaction(async (tx) => {
        const changed = await tx.incidents.change(accountId, params.id, (before) =>
          withUpdates({ ...before, ...fields }, updates),
        );
        if (changed) await notifyIncidentUpdates(tx, changed, updates);
        return changed;
      });
      return presentOne(accountId, record, params.id);
    },

    async deleteIncident({ accountId, params }) {
      if (!(await incidents.delete(accountId, params.id))) throw notFound(`incident ${params.id}`);
      return undefined;
    },
  } satisfies HandlersFor<
    'listIncidents' | 'createIncident' | 'getIncident' | 'updateIncident' | 'deleteIncident'
  >;
}

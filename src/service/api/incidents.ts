/** Incidents of status page services: opened, updated and resolved by hand. */
import type { BodyOf, createIncident, ResponseOf, updateIncident } from '../../contract/index.ts';
import type { IncidentBody, IncidentRecord } from '../store/documents.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed, cursorPage, iso } from './documents.ts';
import { invalid, notFound } from './problem.ts';
import { missingServices } from './references.ts';
import { presentService } from './services.ts';

type Updates = BodyOf<typeof createIncident>['incidentUpdates'];
type Change = BodyOf<typeof updateIncident>;
type Answer = ResponseOf<typeof createIncident>;

export function incidentHandlers({ store, clock, random }: HandlerContext) {
  const { incidents } = store;

  async function present(accountId: string, records: readonly IncidentRecord[]): Promise<Answer[]> {
    const ids = records.flatMap(({ body }) => body.services.map(({ id }) => id));
    const services = await store.services.byIds(accountId, [...new Set(ids)]);
    return records.map((record) => ({
      id: record.id,
      ...record.body,
      services: services
        .filter(({ id }) => record.body.services.some((named) => named.id === id))
        .map(presentService),
      ...ages(record),
    }));
  }
  async function presentOne(accountId: string, record: IncidentRecord | undefined, id: string) {
    const [shown] = record ? await present(accountId, [record]) : [];
    if (!shown) throw notFound(`incident ${id}`);
    return shown;
  }

  async function assertServices(accountId: string, services: Change['services']): Promise<void> {
    const found = await missingServices(store, accountId, services ?? [], ['services']);
    if (found.length > 0) throw invalid(found);
  }

  /** The updates as they are kept, the newest first; the last one sent is the newest. */
  const said = (updates: Updates): IncidentBody['incidentUpdates'] =>
    updates
      .map((update) => ({
        id: random.uuid(),
        description: update.description,
        status: update.status,
        notifySubscribers: update.notifySubscribers ?? false,
        created_at: iso(clock.now()),
      }))
      .reverse();

  const withUpdates = (before: Omit<IncidentBody, 'lastUpdateStatus'>, updates: Updates): IncidentBody => {
    const incidentUpdates = [...said(updates), ...before.incidentUpdates];
    return { ...before, incidentUpdates, lastUpdateStatus: incidentUpdates[0]?.status ?? 'INVESTIGATING' };
  };

  return {
    listIncidents: (call) => cursorPage(incidents, call, (entries) => present(call.accountId, entries)),

    async createIncident({ accountId, endpoint, body }) {
      await assertServices(accountId, body.services);
      const { incidentUpdates, ...fields } = completed(endpoint, body);
      const record = await incidents.create(
        accountId,
        withUpdates({ ...fields, incidentUpdates: [] }, incidentUpdates),
      );
      return presentOne(accountId, record, record.id);
    },

    async getIncident({ accountId, params }) {
      return presentOne(accountId, await incidents.get(accountId, params.id), params.id);
    },

    async updateIncident({ accountId, params, body }) {
      await assertServices(accountId, body.services);
      const { incidentUpdates = [], ...fields } = body;
      const record = await incidents.change(accountId, params.id, (before) =>
        withUpdates({ ...before, ...fields }, incidentUpdates),
      );
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

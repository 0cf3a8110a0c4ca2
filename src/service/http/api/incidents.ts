/** Handles incidents of status page services that people open, update and resolve. */
import type { BodyOf, createIncident, ResponseOf, updateIncident } from '../../../contract/index.ts';
import { addIncidentUpdate, type IncidentUpdate, notifyIncidentUpdates } from '../../notify/incidents.ts';
import type { IncidentBody } from '../../store/documents.ts';
import { incidentDuration } from '../../store/incident-course.ts';
import { presentService } from './document-handlers.ts';
import { applyDefaults, createDocumentResource, timestamps } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { createRequestedUpdate, presentUpdate } from './incident-updates.ts';
import { assertValid, requireFound, violation } from './problem.ts';
import { missingServices } from './references.ts';

type Updates = BodyOf<typeof createIncident>['incidentUpdates'];
type Change = BodyOf<typeof updateIncident>;

export function incidentHandlers({ store, clock, random }: HandlerContext) {
  const incidents = createDocumentResource({
    collection: store.incidents,
    label: 'incident',
    param: 'id',
    async present(records, accountId): Promise<ResponseOf<typeof createIncident>[]> {
      const ids = records.flatMap(({ body }) => body.services.map(({ id }) => id));
      const services = await store.services.byIds(accountId, [...new Set(ids)]);
      return records.map((record) => {
        const { deletedUpdates: _, ...body } = record.body;
        return {
          id: record.id,
          ...body,
          incidentUpdates: body.incidentUpdates.map(presentUpdate),
          duration: incidentDuration(record.body, clock.now()),
          services: services
            .filter(({ id }) => body.services.some((service) => service.id === id))
            .map(presentService),
          ...timestamps(record),
        };
      });
    },
  });

  /** Returns the updates to add: those without an ID. Throws `Problem` 400 for a changed or unknown update with an ID. */
  function newUpdates(updates: NonNullable<Change['incidentUpdates']>, before: IncidentBody): Updates {
    assertValid(
      updates.flatMap(({ id, description, status }, index) => {
        if (id === undefined) return [];
        const existing = before.incidentUpdates.find((update) => update.id === id);
        if (existing?.description === description && existing.status === status) return [];
        const path = ['incidentUpdates', index, ...(existing ? [] : ['id'])];
        const message = existing
          ? 'must not change an existing update: omit id to add an update'
          : 'does not match any update of this incident: omit id to add an update';
        return [violation('body', path, 'reference', message)];
      }),
    );
    return updates.filter(({ id }) => id === undefined);
  }

  async function assertServices(accountId: string, services: Change['services']): Promise<void> {
    assertValid(await missingServices(store, accountId, services ?? [], ['services']));
  }

  /** Returns the new updates, the last one first. Subscribers receive them in the original order. */
  const toUpdates = (updates: Updates): IncidentUpdate[] =>
    updates
      .map((update, index) => createRequestedUpdate({ clock, random }, update, ['incidentUpdates', index]))
      .reverse();
  const withUpdates = (
    before: Omit<IncidentBody, 'lastUpdateStatus'>,
    updates: readonly IncidentUpdate[],
  ): IncidentBody =>
    updates.reduceRight<IncidentBody>(addIncidentUpdate, { lastUpdateStatus: 'INVESTIGATING', ...before });

  return {
    listIncidents: incidents.page,

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
      return incidents.presentOne(record);
    },

    getIncident: incidents.get,

    async updateIncident({ accountId, params, body }) {
      await assertServices(accountId, body.services);
      const { incidentUpdates = [], ...fields } = body;
      let updates: IncidentUpdate[] = [];
      const record = await store.transaction(async (tx) => {
        const changed = await tx.incidents.change(accountId, params.id, (before) => {
          updates = toUpdates(newUpdates(incidentUpdates, before));
          return withUpdates({ ...before, ...fields }, updates);
        });
        if (changed) await notifyIncidentUpdates(tx, changed, updates);
        return changed;
      });
      return incidents.presentOne(requireFound(record, `incident ${params.id}`));
    },

    deleteIncident: incidents.remove,
  } satisfies Partial<Handlers>;
}

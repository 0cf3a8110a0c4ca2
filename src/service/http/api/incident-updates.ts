/** Handles the updates of an incident that people add, correct and delete. */
import type {
  BodyOf,
  createIncident,
  getIncidentUpdate,
  ResponseOf,
  Violation,
} from '../../../contract/index.ts';
import { formatMessages } from '../../../contract/violations.ts';
import {
  addIncidentUpdate,
  createIncidentUpdate,
  deleteIncidentUpdate,
  type IncidentUpdate,
  notifyIncidentUpdates,
  withIncidentUpdates,
} from '../../notify/incidents.ts';
import { incidentUpdateTime } from '../../store/incident-course.ts';
import type { IncidentBody, IncidentRecord, StoreTransaction } from '../../store/index.ts';
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { conflict, invalid, requireFound, violation } from './problem.ts';

type RequestedUpdate = BodyOf<typeof createIncident>['incidentUpdates'][number];

/** Maximum number of updates in a list. */
const MAX_LISTED = 100;
/** How far the clock of a client may be ahead of the service, in ms. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

export const presentUpdate = (update: IncidentUpdate): ResponseOf<typeof getIncidentUpdate> => ({
  ...update,
  publicIncidentUpdateDate: update.publicIncidentUpdateDate ?? update.created_at,
});

/** Returns the instant (ms since the epoch) of a time in a body. Throws `Problem` 400 if it does not exist. */
export function parseInstant(text: string, place: Violation['path']): number {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw invalid([violation('body', place, 'format', formatMessages['date-time'])]);
  return instant;
}

/** Returns the date of an update as a timestamp. Throws `Problem` 400 if it is in the future. */
function parseDate(text: string, now: number, path: Violation['path']): string {
  const place = [...path, 'publicIncidentUpdateDate'];
  const instant = parseInstant(text, place);
  if (instant > now + CLOCK_TOLERANCE_MS)
    throw invalid([violation('body', place, 'maximum', 'must not be in the future')]);
  return toIso(Math.min(instant, now));
}

/** Creates the update that a request describes. Throws `Problem` 400 for a date in the future. */
export function createRequestedUpdate(
  { clock, random }: Pick<HandlerContext, 'clock' | 'random'>,
  { publicIncidentUpdateDate: date, notifySubscribers = false, ...fields }: RequestedUpdate,
  path: Violation['path'],
): IncidentUpdate {
  return createIncidentUpdate({ random }, clock.now(), {
    ...fields,
    notifySubscribers,
    ...(date === undefined ? {} : { publicIncidentUpdateDate: parseDate(date, clock.now(), path) }),
  });
}

const findUpdate = ({ incidentUpdates }: IncidentBody, id: string): IncidentUpdate =>
  requireFound(
    incidentUpdates.find((update) => update.id === id),
    `incident update ${id}`,
  );

/** Returns the incident without an update. */
const withoutUpdate = (body: IncidentBody, id: string): IncidentBody =>
  withIncidentUpdates(
    body,
    body.incidentUpdates.filter((update) => update.id !== id),
  );

export function incidentUpdateHandlers({ store, clock, random }: HandlerContext) {
  const changeIncident = async (
    tx: Pick<StoreTransaction, 'incidents'>,
    { accountId, params: { id } }: { readonly accountId: string; readonly params: { readonly id: string } },
    change: (before: IncidentBody) => IncidentBody,
  ): Promise<IncidentRecord> =>
    requireFound(await tx.incidents.change(accountId, id, change), `incident ${id}`);
  const requireIncident = async (accountId: string, id: string): Promise<IncidentRecord> =>
    requireFound(await store.incidents.get(accountId, id), `incident ${id}`);

  return {
    async listIncidentUpdates({ accountId, params }) {
      const { body } = await requireIncident(accountId, params.id);
      return body.incidentUpdates.slice(0, MAX_LISTED).map(presentUpdate);
    },

    async createIncidentUpdate(call) {
      const update = await store.transaction(async (tx) => {
        let created: IncidentUpdate | undefined;
        const incident = await changeIncident(tx, call, (before) => {
          const { status = before.lastUpdateStatus as RequestedUpdate['status'] } = call.body;
          created = createRequestedUpdate({ clock, random }, { ...call.body, status }, []);
          return addIncidentUpdate(before, created);
        });
        const added = requireFound(created, 'incident update');
        await notifyIncidentUpdates(tx, incident, [added]);
        return added;
      });
      return presentUpdate(update);
    },

    async getIncidentUpdate({ accountId, params: { id, updateId } }) {
      return presentUpdate(findUpdate((await requireIncident(accountId, id)).body, updateId));
    },

    /** Subscribers are notified once: if the change asks for it, and the update has not notified them yet. */
    async updateIncidentUpdate(call) {
      const { updateId } = call.params;
      const { publicIncidentUpdateDate: date, notifySubscribers = false, ...fields } = call.body;
      const update = await store.transaction(async (tx) => {
        let isNewNotice = false;
        const incident = await changeIncident(tx, call, (before) => {
          const update = findUpdate(before, updateId);
          isNewNotice = notifySubscribers && !update.notifySubscribers;
          const changed = {
            ...update,
            ...fields,
            notifySubscribers: notifySubscribers || update.notifySubscribers,
          };
          const moved = date === undefined ? undefined : parseDate(date, clock.now(), []);
          if (moved !== undefined && Date.parse(moved) !== incidentUpdateTime(update))
            return addIncidentUpdate(withoutUpdate(before, updateId), {
              ...changed,
              publicIncidentUpdateDate: moved,
            });
          return withIncidentUpdates(
            before,
            before.incidentUpdates.map((other) => (other.id === updateId ? changed : other)),
          );
        });
        const changed = findUpdate(incident.body, updateId);
        if (isNewNotice) await notifyIncidentUpdates(tx, incident, [changed]);
        return changed;
      });
      return presentUpdate(update);
    },

    /** Throws `Problem` 409 for the only update, which gives the incident its status. */
    async deleteIncidentUpdate(call) {
      const { id, updateId } = call.params;
      await changeIncident(store, call, (before) => {
        findUpdate(before, updateId);
        if (before.incidentUpdates.length === 1)
          throw conflict(
            `Incident update ${updateId} is the only update of incident ${id}: delete the incident instead`,
          );
        return deleteIncidentUpdate(before, updateId, clock.now());
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

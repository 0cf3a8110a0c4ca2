/** Incidents that a check opens when it fails and resolves when it recovers (triggerIncident). */
import type { CommonBody, IncidentBody, StoreTransaction } from '../../store/index.ts';
import { addIncidentUpdate, createIncidentUpdate } from './incident-update.ts';
import { notifyIncidentUpdates } from './notify-incident-updates.ts';

export type TriggerIncident = NonNullable<CommonBody['triggerIncident']>;

export interface OpenIncident {
  readonly accountId: string;
  readonly checkId: string;
  /** What the check says of the incident; without a service of the account nothing is opened. */
  readonly trigger: TriggerIncident;
  /** When the failure alert was decided, ms since the epoch. */
  readonly at: number;
}

export interface ResolveIncident {
  readonly accountId: string;
  readonly checkId: string;
  readonly at: number;
  /** What its end is told with; left out: that the check passes again. */
  readonly description?: string;
}

const DEFAULT_SEVERITY = 'MAJOR';
const DEFAULT_DESCRIPTION = 'We are investigating a problem with this service.';
const RESOLUTION = 'The problem is resolved. Our checks pass again.';
const NOBODY_WATCHES =
  'The check that detected this problem was deleted. The problem is no longer monitored.';

/**
 * Opens the incident of a check, in the caller's transaction, and tells subscribers where the trigger says so. A check
 * has one open incident at most: a second call while it is open changes nothing, and answers the one there is. Undefined
 * where the trigger names no service that the account has. One that a person resolved meanwhile is not opened again: the
 * next failure opens another.
 */
export async function openIncident(
  tx: StoreTransaction,
  { accountId, checkId, trigger, at }: OpenIncident,
): Promise<string | undefined> {
  const { serviceId = '' } = trigger;
  const [service] = await tx.services.byIds(accountId, serviceId === '' ? [] : [serviceId]);
  if (service === undefined) return undefined;
  if (!(await tx.incidents.claimFor(accountId, checkId))) {
    const open = await tx.incidents.openedBy(accountId, checkId);
    const known = open === undefined ? undefined : await tx.incidents.get(accountId, open);
    if (known !== undefined && known.body.lastUpdateStatus !== 'RESOLVED') return known.id;
  }
  const name = trigger.name || `${service.body.name} is disrupted`;
  const body: IncidentBody = addIncidentUpdate(
    {
      name,
      severity: trigger.severity ?? DEFAULT_SEVERITY,
      services: [{ id: service.id }],
      incidentUpdates: [],
    },
    createIncidentUpdate(tx, at, {
      description: trigger.description || DEFAULT_DESCRIPTION,
      status: 'INVESTIGATING',
      notifySubscribers: trigger.notifySubscribers ?? false,
    }),
  );
  const incident = await tx.incidents.create(accountId, body);
  await tx.incidents.setOpenedBy(accountId, checkId, incident.id);
  await notifyIncidentUpdates(tx, incident, body.incidentUpdates);
  return incident.id;
}

/**
 * Resolves the incident that the check opened, in the caller's transaction; who was told of it is told of its end.
 * Nothing where it has none open, or a person resolved it already.
 */
export async function resolveIncident(
  tx: StoreTransaction,
  { accountId, checkId, at, description = RESOLUTION }: ResolveIncident,
): Promise<string | undefined> {
  const id = await tx.incidents.release(accountId, checkId);
  if (id === undefined) return undefined;
  let said: ReturnType<typeof createIncidentUpdate> | undefined;
  const after = await tx.incidents.change(accountId, id, (body) => {
    if (body.lastUpdateStatus === 'RESOLVED') return body;
    const notifySubscribers = body.incidentUpdates.some((update) => update.notifySubscribers);
    said = createIncidentUpdate(tx, at, { description, status: 'RESOLVED', notifySubscribers });
    return addIncidentUpdate(body, said);
  });
  if (after === undefined || said === undefined) return undefined;
  await notifyIncidentUpdates(tx, after, [said]);
  return after.id;
}

/**
 * Resolves the incident that a check opened, in the transaction that deletes the check: nothing else would ever end it.
 * Call it before the check is gone, for the incident is found by it.
 */
export async function resolveIncidentOfDeleted(
  tx: StoreTransaction,
  { accountId, checkId, at }: Omit<ResolveIncident, 'description'>,
): Promise<void> {
  await resolveIncident(tx, { accountId, checkId, at, description: NOBODY_WATCHES });
}

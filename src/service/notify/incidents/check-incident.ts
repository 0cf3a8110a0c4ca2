/** Opens an incident when a check fails and resolves it when the check recovers (triggerIncident). */
import type { CommonBody, IncidentBody, StoreTransaction } from '../../store/index.ts';
import { addIncidentUpdate, createIncidentUpdate } from './incident-update.ts';
import { notifyIncidentUpdates } from './notify-incident-updates.ts';

export type TriggerIncident = NonNullable<CommonBody['triggerIncident']>;

export interface OpenIncident {
  readonly accountId: string;
  readonly checkId: string;
  /** The check's settings of the incident. Without a service of the account no incident opens. */
  readonly trigger: TriggerIncident;
  /** When the failure alert was decided, ms since the epoch. */
  readonly at: number;
}

export interface ResolveIncident {
  readonly accountId: string;
  readonly checkId: string;
  readonly at: number;
  /** Text of the resolving update. Default: the checks pass again. */
  readonly description?: string;
}

const DEFAULT_SEVERITY = 'MAJOR';
const DEFAULT_DESCRIPTION = 'We are investigating a problem with this service.';
const DEFAULT_RESOLUTION = 'The problem is resolved. Our checks pass again.';
const CHECK_DELETED = 'The check that detected this problem was deleted. The problem is no longer monitored.';

/**
 * Opens the incident of a check in the caller's transaction, notifies subscribers if the trigger says so, and returns
 * the incident's ID. Returns the existing one if it is still open, and undefined if the account lacks the service.
 * If a person resolved the incident, opens a new one.
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
 * Resolves the incident that the check opened, in the caller's transaction, and notifies its subscribers. Does nothing
 * if the check has no open incident or a person already resolved it.
 */
export async function resolveIncident(
  tx: StoreTransaction,
  { accountId, checkId, at, description = DEFAULT_RESOLUTION }: ResolveIncident,
): Promise<string | undefined> {
  const id = await tx.incidents.release(accountId, checkId);
  if (id === undefined) return undefined;
  let update: ReturnType<typeof createIncidentUpdate> | undefined;
  const after = await tx.incidents.change(accountId, id, (body) => {
    if (body.lastUpdateStatus === 'RESOLVED') return body;
    const notifySubscribers = body.incidentUpdates.some((update) => update.notifySubscribers);
    update = createIncidentUpdate(tx, at, { description, status: 'RESOLVED', notifySubscribers });
    return addIncidentUpdate(body, update);
  });
  if (after === undefined || update === undefined) return undefined;
  await notifyIncidentUpdates(tx, after, [update]);
  return after.id;
}

/**
 * Resolves the incident of a check in the transaction that deletes the check. Call it before the deletion, which
 * removes the reference to the incident.
 */
export async function resolveIncidentOfDeleted(
  tx: StoreTransaction,
  { accountId, checkId, at }: Omit<ResolveIncident, 'description'>,
): Promise<void> {
  await resolveIncident(tx, { accountId, checkId, at, description: CHECK_DELETED });
}

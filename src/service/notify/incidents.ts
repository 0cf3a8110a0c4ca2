/** Opens and resolves the incidents of checks (triggerIncident), and notifies subscribers of incident updates. */

import { incidentUpdateTime } from '../store/incident-course.ts';
import type { CommonBody, IncidentBody, IncidentRecord, StoreTransaction } from '../store/index.ts';
import { notifySubscribers } from './subscribers/notify-subscribers.ts';

/** The check whose incident changes, and the instant of the change (ms since the epoch). */
interface IncidentChange {
  readonly accountId: string;
  readonly checkId: string;
  readonly at: number;
}

const DEFAULT_SEVERITY = 'MAJOR';
const DEFAULT_DESCRIPTION = 'We are investigating a problem with this service.';
const DEFAULT_RESOLUTION = 'The problem is resolved. Our checks pass again.';

/**
 * Opens the incident of a check in the caller's transaction, notifies subscribers if the trigger says so, and returns
 * the incident's ID. Returns the existing one if it is still open, and undefined if the account lacks the service.
 * If a person resolved the incident, opens a new one.
 */
export async function openIncident(
  tx: StoreTransaction,
  change: IncidentChange & { readonly trigger: Trigger },
): Promise<string | undefined> {
  const { accountId, checkId, trigger, at } = change;
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
 * if the check has no open incident or a person already resolved it. A check that is deleted has no incident any more:
 * `incidentId` names it.
 */
export async function resolveIncident(
  tx: StoreTransaction,
  { accountId, checkId, at, incidentId }: IncidentChange & { readonly incidentId?: string | undefined },
  description = DEFAULT_RESOLUTION,
): Promise<string | undefined> {
  const id = (await tx.incidents.release(accountId, checkId)) ?? incidentId;
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

type Trigger = NonNullable<CommonBody['triggerIncident']>;

/** Gives an open incident the changed severity and name of its trigger, unless a person has changed the incident's own. */
export async function changeOpenIncident(
  tx: StoreTransaction,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  before: Trigger,
  after: Trigger,
): Promise<void> {
  const severityOf = ({ severity = DEFAULT_SEVERITY }: Trigger) => severity;
  if (severityOf(before) === severityOf(after) && before.name === after.name) return;
  await tx.incidents.change(accountId, id, (body) => {
    if (body.lastUpdateStatus === 'RESOLVED') return body;
    const severity = body.severity === severityOf(before) ? severityOf(after) : body.severity;
    const name = body.name === before.name ? after.name || body.name : body.name;
    return { ...body, severity, name };
  });
}

export type IncidentUpdate = IncidentBody['incidentUpdates'][number];

/** Creates an update at an instant (ms since the epoch). */
export function createIncidentUpdate(
  { random }: Pick<StoreTransaction, 'random'>,
  at: number,
  fields: Pick<IncidentUpdate, 'description' | 'status' | 'notifySubscribers' | 'publicIncidentUpdateDate'>,
): IncidentUpdate {
  return { id: random.uuid(), ...fields, created_at: new Date(at).toISOString() };
}

/**
 * Returns the incident with an additional update. An update without a date gets the current time. The newest update sets
 * the status of the incident.
 */
export function addIncidentUpdate(
  before: Omit<IncidentBody, 'lastUpdateStatus'>,
  update: IncidentUpdate,
): IncidentBody {
  const { incidentUpdates: updates } = before;
  const isDated = update.publicIncidentUpdateDate !== undefined;
  const older = updates.findIndex((other) => incidentUpdateTime(other) <= incidentUpdateTime(update));
  const place = !isDated ? 0 : older < 0 ? updates.length : older;
  return withIncidentUpdates(before, updates.toSpliced(place, 0, update));
}

/**
 * Returns the incident without an update, which readers have seen: the times for which the incident was open stay, and its
 * status changes at the instant `now` (ms since the epoch), if the update gave it.
 */
export function deleteIncidentUpdate(before: IncidentBody, id: string, now: number): IncidentBody {
  const { incidentUpdates: updates, deletedUpdates: deleted = [] } = before;
  const place = updates.findIndex((update) => update.id === id);
  const update = updates[place];
  if (update === undefined) return before;
  const after = updates[place + 1]?.id ?? null;
  const rest = withIncidentUpdates(before, updates.toSpliced(place, 1));
  const deletedUpdates = [
    ...deleted.filter((other) => other.after === after),
    { status: update.status, at: incidentUpdateTime(update), after },
    ...deleted.filter((other) => other.after === id).map((other) => ({ ...other, after })),
    ...deleted.filter((other) => other.after !== after && other.after !== id),
  ];
  const status = rest.lastUpdateStatus;
  if (status !== before.lastUpdateStatus)
    deletedUpdates.push({ status, at: now, after: rest.incidentUpdates[0]?.id ?? null });
  return { ...rest, deletedUpdates };
}

/** Returns the incident with these updates, newest first. The newest one sets the status of the incident. */
export function withIncidentUpdates(
  before: Omit<IncidentBody, 'lastUpdateStatus'>,
  incidentUpdates: IncidentUpdate[],
): IncidentBody {
  return { ...before, incidentUpdates, lastUpdateStatus: incidentUpdates[0]?.status ?? 'INVESTIGATING' };
}

/** Enqueues notices of new updates with `notifySubscribers`. `updates` is newest first; notices go out oldest first. */
export async function notifyIncidentUpdates(
  tx: StoreTransaction,
  incident: IncidentRecord,
  updates: readonly IncidentUpdate[],
): Promise<void> {
  for (const update of [...updates].reverse()) {
    if (!update.notifySubscribers) continue;
    await notifySubscribers(tx, {
      accountId: incident.accountId,
      key: `incident/${update.id}`,
      about: 'incident',
      id: incident.id,
      title: incident.body.name,
      state: STATUS_LABELS[update.status] ?? update.status,
      text: update.description,
      at: incidentUpdateTime(update),
      services: incident.body.services.map(({ id }) => id),
    });
  }
}

export const STATUS_LABELS: Readonly<Record<string, string>> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
  MAINTENANCE: 'Maintenance',
};

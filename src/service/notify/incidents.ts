/** Opens and resolves the incidents of checks (triggerIncident), and notifies subscribers of incident updates. */
import { isDeepStrictEqual } from 'node:util';
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

/** The texts of incidents that end although nothing has recovered. */
export const ENDINGS = {
  deleted: 'The check that detected this problem was deleted. The problem is no longer monitored.',
  deactivated: 'The check that detected this problem was deactivated. The problem is no longer monitored.',
  moved: 'The check that detected this problem no longer reports on this service.',
  stopped: 'The automation that opened this incident was turned off. The problem is no longer monitored.',
} as const;

/** The fields of an incident that settings decide. */
export type IncidentSettings = Pick<IncidentBody, 'name' | 'severity' | 'services'>;

/** Creates an incident at an instant with its first update, and notifies subscribers if the update says so. */
export async function createIncident(
  tx: StoreTransaction,
  { accountId, at }: Pick<IncidentChange, 'accountId' | 'at'>,
  settings: IncidentSettings,
  update: Pick<IncidentUpdate, 'description' | 'notifySubscribers'>,
): Promise<string> {
  const first = createIncidentUpdate(tx, at, { ...update, status: 'INVESTIGATING' });
  const body = addIncidentUpdate({ ...settings, incidentUpdates: [] }, first);
  const incident = await tx.incidents.create(accountId, body);
  await notifyIncidentUpdates(tx, incident, body.incidentUpdates);
  return incident.id;
}

/**
 * Opens the incident of a check in the caller's transaction, notifies subscribers if the trigger says so, and returns
 * the incident's ID. Returns the existing one if it is still open, and undefined if the account lacks the service.
 * If a person resolved the incident, opens a new one.
 */
export async function openIncident(
  tx: StoreTransaction,
  change: IncidentChange & { readonly trigger: Trigger },
): Promise<string | undefined> {
  const { accountId, checkId, trigger } = change;
  const { serviceId = '' } = trigger;
  const [service] = await tx.services.byIds(accountId, serviceId === '' ? [] : [serviceId]);
  if (service === undefined) return undefined;
  if (!(await tx.incidents.claimFor(accountId, checkId))) {
    const open = await tx.incidents.openedBy(accountId, checkId);
    const known = open === undefined ? undefined : await tx.incidents.get(accountId, open);
    if (known !== undefined && known.body.lastUpdateStatus !== 'RESOLVED') return known.id;
  }
  const name = trigger.name || `${service.body.name} is disrupted`;
  const id = await createIncident(
    tx,
    change,
    { name, severity: trigger.severity ?? DEFAULT_SEVERITY, services: [{ id: service.id }] },
    {
      description: trigger.description || DEFAULT_DESCRIPTION,
      notifySubscribers: trigger.notifySubscribers ?? false,
    },
  );
  await tx.incidents.setOpenedBy(accountId, checkId, id);
  return id;
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
  return id === undefined ? undefined : endIncident(tx, { accountId, id, at }, description);
}

/**
 * Adds an update that resolves an incident, and notifies subscribers if an earlier update did. Returns its ID; undefined if
 * it does not exist or is already resolved.
 */
export async function endIncident(
  tx: StoreTransaction,
  { accountId, id, at }: Pick<IncidentChange, 'accountId' | 'at'> & { readonly id: string },
  description: string,
): Promise<string | undefined> {
  let update: IncidentUpdate | undefined;
  const after = await tx.incidents.change(accountId, id, (body) => {
    if (body.lastUpdateStatus === 'RESOLVED') return body;
    const notifySubscribers = body.incidentUpdates.some((one) => one.notifySubscribers);
    update = createIncidentUpdate(tx, at, { description, status: 'RESOLVED', notifySubscribers });
    return addIncidentUpdate(body, update);
  });
  if (after === undefined || update === undefined) return undefined;
  await notifyIncidentUpdates(tx, after, [update]);
  return after.id;
}

type Trigger = NonNullable<CommonBody['triggerIncident']>;

/** Returns what a trigger decides of an incident. Without a name, the incident keeps its own. */
export const settingsOfTrigger = ({
  severity = DEFAULT_SEVERITY,
  name,
}: Trigger): Partial<IncidentSettings> => ({ severity, ...(name ? { name } : {}) });

/** Gives an open incident the fields that changed in its settings, except those that a person has changed. */
export async function changeOpenIncident(
  tx: StoreTransaction,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  before: Partial<IncidentSettings>,
  after: Partial<IncidentSettings>,
): Promise<void> {
  const changes = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value, before[field as keyof IncidentSettings]),
  );
  if (changes.length === 0) return;
  await tx.incidents.change(accountId, id, (body) => {
    if (body.lastUpdateStatus === 'RESOLVED') return body;
    const unedited = changes.filter(([name]) => {
      const field = name as keyof IncidentSettings;
      return isDeepStrictEqual(body[field], before[field]);
    });
    return { ...body, ...Object.fromEntries(unedited) };
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

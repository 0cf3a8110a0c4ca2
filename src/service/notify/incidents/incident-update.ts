/** Creates incident updates and adds them to incidents. */
import type { IncidentBody, StoreTransaction } from '../../store/index.ts';

export type IncidentUpdate = IncidentBody['incidentUpdates'][number];

/** Creates an update at an instant (ms since the epoch). */
export function createIncidentUpdate(
  { random }: Pick<StoreTransaction, 'random'>,
  at: number,
  fields: Pick<IncidentUpdate, 'description' | 'status' | 'notifySubscribers'>,
): IncidentUpdate {
  return { id: random.uuid(), ...fields, created_at: new Date(at).toISOString() };
}

/** Returns the incident with an additional, newest update, which sets its status. */
export function addIncidentUpdate(
  before: Omit<IncidentBody, 'lastUpdateStatus'>,
  update: IncidentUpdate,
): IncidentBody {
  return {
    ...before,
    incidentUpdates: [update, ...before.incidentUpdates],
    lastUpdateStatus: update.status,
  };
}

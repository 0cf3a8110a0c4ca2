/** What is said of an incident: its updates, the newest first. */
import type { IncidentBody, StoreTransaction } from '../../store/index.ts';

export type IncidentUpdate = IncidentBody['incidentUpdates'][number];

/** An update as it is kept, said at an instant (ms since the epoch). */
export function createIncidentUpdate(
  { random }: Pick<StoreTransaction, 'random'>,
  at: number,
  said: Pick<IncidentUpdate, 'description' | 'status' | 'notifySubscribers'>,
): IncidentUpdate {
  return { id: random.uuid(), ...said, created_at: new Date(at).toISOString() };
}

/** The incident with one more update, which says where it stands. */
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

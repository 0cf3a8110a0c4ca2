/** Computes when an incident began and ended from its updates. Pure. */

interface IncidentUpdate {
  readonly status: string;
  readonly created_at: string;
}

/** The time columns of an incident, in ms since the epoch; null if it is not resolved. */
export interface IncidentTimes {
  readonly opened_at: number | null;
  readonly resolved_at: number | null;
}

/**
 * Returns the time of the first update and of the update that resolved the incident; later updates of a resolved incident
 * do not change its end. Updates are sorted newest first.
 */
export function incidentTimes({
  incidentUpdates: updates,
}: {
  readonly incidentUpdates: readonly IncidentUpdate[];
}): IncidentTimes {
  const first = updates.at(-1);
  const firstOpen = updates.findIndex(({ status }) => status !== 'RESOLVED');
  const resolvedBy = updates[(firstOpen < 0 ? updates.length : firstOpen) - 1];
  return {
    opened_at: first === undefined ? null : Date.parse(first.created_at),
    resolved_at: resolvedBy === undefined ? null : Date.parse(resolvedBy.created_at),
  };
}

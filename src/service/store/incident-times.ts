/** When an incident began and ended, read off what was said of it. Pure. */

interface Said {
  readonly status: string;
  readonly created_at: string;
}

/** The columns of an incident's times, in ms since the epoch; null: it is not resolved. */
export interface IncidentTimes {
  readonly opened_at: number | null;
  readonly resolved_at: number | null;
}

/**
 * It began with its first update and ended with the update that resolved it; what is said after that (what was learnt)
 * moves its end no further. The updates come with the newest first.
 */
export function incidentTimes({
  incidentUpdates: updates,
}: {
  readonly incidentUpdates: readonly Said[];
}): IncidentTimes {
  const first = updates.at(-1);
  const after = updates.findIndex(({ status }) => status !== 'RESOLVED');
  const resolving = updates[(after < 0 ? updates.length : after) - 1];
  return {
    opened_at: first === undefined ? null : Date.parse(first.created_at),
    resolved_at: resolving === undefined ? null : Date.parse(resolving.created_at),
  };
}

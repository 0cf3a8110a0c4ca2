/** The course of an incident: when it was open, with which severity, on which services. Pure. */
import type { IncidentBody } from './documents.ts';

/** What an incident affects from an instant on, until the next entry of its course. */
interface CourseEntry {
  /** In ms since the epoch. The first entry also counts for the time before it. */
  readonly at: number;
  readonly severity: string;
  readonly services: readonly string[];
}

/** The severities and services of an incident, oldest first. Its updates tell when it was open. */
export type IncidentCourse = readonly CourseEntry[];

/** A time for which an incident was open and affected the same services with the same severity, in ms since the epoch. */
export interface IncidentSpan {
  readonly from: number;
  readonly to: number;
  readonly severity: string;
  readonly services: readonly string[];
}

type Scope = Pick<IncidentBody, 'severity' | 'services'>;
type Updates = Pick<IncidentBody, 'incidentUpdates' | 'deletedUpdates'>;

/** Returns the time of an incident update on status pages, in ms since the epoch. */
export const incidentUpdateTime = ({
  publicIncidentUpdateDate,
  created_at,
}: {
  readonly publicIncidentUpdateDate?: string;
  readonly created_at: string;
}): number => Date.parse(publicIncidentUpdateDate ?? created_at);

/** Returns the course after a write at an instant: with another entry if the severity or the services changed. */
export function recordCourse(
  course: IncidentCourse,
  { severity, services }: Scope,
  at: number,
): IncidentCourse {
  const last = course.at(-1);
  // The clock may have been set back.
  const after = Math.max(at, last?.at ?? at);
  const entry = { at: after, severity, services: [...new Set(services.map(({ id }) => id))].sort() };
  const isSame = last?.severity === severity && last.services.join() === entry.services.join();
  return isSame ? course : [...course, entry];
}

/** Returns the changes of the status that readers saw, oldest first, with those of deleted updates. */
function statusChanges({ incidentUpdates, deletedUpdates = [] }: Updates) {
  const deletedAfter = (id: string | null) => deletedUpdates.filter(({ after }) => after === id);
  const changes = incidentUpdates
    .toReversed()
    .flatMap((update) => [
      { status: update.status, at: incidentUpdateTime(update) },
      ...deletedAfter(update.id),
    ]);
  return [...deletedAfter(null), ...changes];
}

/** Returns the times for which the updates leave the incident open. They are newest first; `to` is null for the present. */
function openTimes(incident: Updates): { readonly from: number; readonly to: number | null }[] {
  const times: { from: number; to: number | null }[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (const { status, at } of statusChanges(incident)) {
    // A clock that was set back gives a later update an earlier time.
    latest = Math.max(latest, at);
    const last = times.at(-1);
    const isOpen = last?.to === null;
    if (status === 'RESOLVED' && isOpen) last.to = latest;
    else if (status !== 'RESOLVED' && !isOpen) times.push({ from: latest, to: null });
  }
  return times;
}

/** Returns the ms from the first opening of an incident to its last resolution, or to `now` while it is open. */
export function incidentDuration(incident: Updates, now: number): number {
  const times = openTimes(incident);
  const [first, last] = [times[0], times.at(-1)];
  return first && last ? Math.max(0, (last.to ?? now) - first.from) : 0;
}

/** Returns the spans of an incident until now, oldest first, without empty ones. */
export function incidentSpans(incident: Updates, course: IncidentCourse, now: number): IncidentSpan[] {
  return openTimes(incident).flatMap((open) =>
    course.flatMap(({ at, severity, services }, index) => {
      const from = index === 0 ? open.from : Math.max(open.from, at);
      const to = Math.min(open.to ?? now, course[index + 1]?.at ?? now);
      return from < to ? [{ from, to, severity, services }] : [];
    }),
  );
}

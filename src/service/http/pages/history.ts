/** Computes the state and the 90-day history of a service from its incidents. Pure. */

import type { IncidentRecord } from '../../store/index.ts';
import { incidentTimes } from '../../store/status-pages.ts';

export type State = 'operational' | 'degraded' | 'partial' | 'outage' | 'maintenance';

export const DAYS = 90;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The time for which an incident was open, in ms since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Day {
  /** Midnight, in ms since the epoch. */
  readonly at: number;
  /** Duration of outages, and of degradation without an outage, in ms; null if the service did not exist yet. */
  readonly outage: number | null;
  readonly degraded: number | null;
}

export interface History {
  /** Oldest first, ending with today. */
  readonly days: readonly Day[];
  /** Share of the time without an outage, 0 to 1, since the service exists and within these days. */
  readonly uptime: number;
}

export function stateOfSeverity(severity: string): Exclude<State, 'operational' | 'maintenance'> {
  if (severity === 'CRITICAL') return 'outage';
  return severity === 'MAJOR' ? 'partial' : 'degraded';
}

const midnight = (instant: number) => Math.floor(instant / DAY_MS) * DAY_MS;
/** Returns the first instant that pages show. */
export const historyStart = (now: number) => midnight(now) - (DAYS - 1) * DAY_MS;

/** Returns the spans in order, with overlapping and adjacent ones merged. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((first, second) => first.from - second.from)) {
    const last = all.at(-1);
    if (last === undefined || span.from > last.to) all.push(span);
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return all;
}

/** Returns the parts of spans that others do not cover. Both must be merged. */
function subtractSpans(spans: readonly Span[], others: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    const left: Span[] = [];
    let from = span.from;
    for (const other of others) {
      if (other.to <= from || other.from >= span.to) continue;
      if (other.from > from) left.push({ from, to: other.from });
      from = Math.max(from, other.to);
    }
    if (from < span.to) left.push({ from, to: span.to });
    return left;
  });
}

const lengthWithin = (spans: readonly Span[], from: number, to: number): number =>
  spans.reduce((sum, span) => sum + Math.max(0, Math.min(span.to, to) - Math.max(span.from, from)), 0);

/** Returns the merged spans of incidents of one kind, up to now. */
function incidentSpans(
  incidents: readonly IncidentRecord[],
  kind: 'degraded' | 'outage',
  now: number,
): Span[] {
  return mergeSpans(
    incidents.flatMap(({ body }) => {
      const { opened_at: from, resolved_at: to } = incidentTimes(body);
      const isOfKind = (stateOfSeverity(body.severity) === 'degraded') === (kind === 'degraded');
      return from === null || !isOfKind ? [] : [{ from, to: to ?? now }];
    }),
  );
}

/** Returns the history of a service that exists since `since` (ms), from the incidents that affect it. */
export function buildHistory(incidents: readonly IncidentRecord[], since: number, now: number): History {
  const outages = incidentSpans(incidents, 'outage', now);
  const degraded = subtractSpans(incidentSpans(incidents, 'degraded', now), outages);
  const start = historyStart(now);
  const days = Array.from({ length: DAYS }, (_, index): Day => {
    const at = start + index * DAY_MS;
    if (at + DAY_MS <= since) return { at, outage: null, degraded: null };
    const ends = at + DAY_MS;
    return { at, outage: lengthWithin(outages, at, ends), degraded: lengthWithin(degraded, at, ends) };
  });
  const from = Math.max(start, since);
  const length = now - from;
  return { days, uptime: length <= 0 ? 1 : 1 - lengthWithin(outages, from, now) / length };
}

const RANK: Readonly<Record<State, number>> = {
  operational: 0,
  maintenance: 1,
  degraded: 2,
  partial: 3,
  outage: 4,
};

export const rankOf = (state: State): number => RANK[state];

export const worstState = (states: readonly State[]): State =>
  states.reduce((first, second) => (RANK[second] > RANK[first] ? second : first), 'operational');

/** Returns the state of a page: the worst of its services, or a major outage if every service is out. */
export const overallState = (states: readonly State[]): State =>
  states.length > 0 && states.every((state) => state === 'partial' || state === 'outage')
    ? 'outage'
    : worstState(states);

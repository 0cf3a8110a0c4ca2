/** Computes the state and the 90-day history of a service from the spans of its incidents. Pure. */

import { instantAt, wallTimeAt, type Zone } from '../../../calendar/zone.ts';
import type { IncidentSpan } from '../../store/index.ts';

export type State = 'operational' | 'degraded' | 'partial' | 'outage' | 'maintenance';

export const DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A time, in ms since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Day {
  /** Midnight UTC of the date, in ms since the epoch. The day itself is that date in the time zone of the history. */
  readonly date: number;
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

/** Returns an instant before the first one that pages show, in any time zone. */
export const historyStart = (now: number) => now - (DAYS + 2) * DAY_MS;

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

/** Returns the merged times of one kind. */
const timesOf = (kind: 'degraded' | 'outage', spans: readonly IncidentSpan[]): Span[] =>
  mergeSpans(
    spans.filter(({ severity }) => (stateOfSeverity(severity) === 'degraded') === (kind === 'degraded')),
  );

/**
 * Returns the history of a service that exists since `since` (ms), from the spans of incidents that affected it. Its days are
 * those of the time zone.
 */
export function buildHistory(
  spans: readonly IncidentSpan[],
  { since, now, zone }: { readonly since: number; readonly now: number; readonly zone: Zone },
): History {
  const outages = timesOf('outage', spans);
  const degraded = subtractSpans(timesOf('degraded', spans), outages);
  const { year, month, day: today } = wallTimeAt(now, zone);
  const midnights = Array.from({ length: DAYS + 1 }, (_, index) => {
    const day = today - DAYS + 1 + index;
    return { date: Date.UTC(year, month - 1, day), at: instantAt({ year, month, day, time: 0 }, zone) };
  });
  const days = midnights.slice(0, DAYS).map(({ date, at }, index): Day => {
    const ends = midnights[index + 1]?.at ?? now;
    if (ends <= since) return { date, outage: null, degraded: null };
    return { date, outage: lengthWithin(outages, at, ends), degraded: lengthWithin(degraded, at, ends) };
  });
  const from = Math.max(midnights[0]?.at ?? since, since);
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

/** Computes the state of maintenance windows, and describes and sorts them for lists. */
import { type Occurrence, occurrences, take } from '../../calendar/occurrences.ts';
import type { getMaintenanceWindow, ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';

export type MaintenanceWindow = ResponseOf<typeof getMaintenanceWindow>;

export type WindowState = 'active' | 'upcoming' | 'over';

/** The state of a window at an instant, and its current or next occurrence. */
export interface WindowStatus {
  readonly state: WindowState;
  readonly occurrence: Occurrence | undefined;
}

/** Returns the state of a window. `now`: milliseconds since the epoch. */
export function windowStatus(window: MaintenanceWindow, now: number): WindowStatus {
  const [occurrence] = take(occurrences(window, now), 1);
  const state = !occurrence ? 'over' : occurrence.startsAt <= now ? 'active' : 'upcoming';
  return { state, occurrence };
}

/** Formats `every 2 weeks`. Undefined: the window does not repeat. */
export function formatRepeat({ repeatUnit, repeatInterval }: MaintenanceWindow): string | undefined {
  if (!repeatUnit) return undefined;
  const unit = repeatUnit.toLowerCase();
  const interval = repeatInterval ?? 1;
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
}

/** Returns the tags of paused checks, or `all checks`. */
export const pausedChecks = ({ pauseAllChecks, tags }: MaintenanceWindow): readonly string[] =>
  pauseAllChecks ? ['all checks'] : (tags ?? []);

export const silencedAlerts = ({
  silenceAllAlerts,
  silenceAlertsTags,
}: MaintenanceWindow): readonly string[] => (silenceAllAlerts ? ['all alerts'] : (silenceAlertsTags ?? []));

const pauses: Column<MaintenanceWindow> = {
  key: 'tags',
  header: 'pauses',
  value: pausedChecks,
  kind: 'list',
  priority: 70,
};
const silences: Column<MaintenanceWindow> = {
  key: 'silenceAlertsTags',
  header: 'silences',
  value: silencedAlerts,
  kind: 'list',
};
const repeats: Column<MaintenanceWindow> = {
  key: 'repeat',
  header: 'repeats',
  value: formatRepeat,
  priority: 60,
};

/** Returns columns for programs and `--fields`: times as in the API, and the state last. */
export const listColumns = (now: number): readonly Column<MaintenanceWindow>[] => [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 90 },
  { key: 'startsAt', header: 'starts', kind: 'time', priority: 80 },
  { key: 'endsAt', header: 'ends', kind: 'time', priority: 80 },
  repeats,
  pauses,
  silences,
  { key: 'state', kind: 'status', value: (window) => windowStatus(window, now).state },
];

/** The columns and the order of the table. */
export interface Agenda {
  readonly columns: readonly Column<MaintenanceWindow>[];
  /** Sorts active windows by end, then upcoming windows by start, then past windows, latest first. */
  arrange(windows: readonly MaintenanceWindow[], isAll: boolean): readonly MaintenanceWindow[];
}

/** Returns the table of current and next occurrences. `now`: milliseconds since the epoch. */
export function createAgenda(now: number): Agenda {
  const statuses = new Map<MaintenanceWindow, WindowStatus>();
  const statusOf = (window: MaintenanceWindow): WindowStatus => {
    const known = statuses.get(window) ?? windowStatus(window, now);
    statuses.set(window, known);
    return known;
  };
  let next: number | undefined;
  const formatState = (window: MaintenanceWindow): string => {
    const { state, occurrence } = statusOf(window);
    return state === 'upcoming' && occurrence?.startsAt === next ? 'next' : state;
  };
  const timeOf = (end: 'startsAt' | 'endsAt') => (window: MaintenanceWindow) =>
    statusOf(window).occurrence?.[end] ?? window[end];
  const stateOrder: readonly WindowState[] = ['active', 'upcoming', 'over'];
  const sortKey = (window: MaintenanceWindow): number => {
    const { state, occurrence } = statusOf(window);
    if (state === 'active') return occurrence?.endsAt ?? 0;
    return state === 'upcoming' ? (occurrence?.startsAt ?? 0) : -Date.parse(window.endsAt);
  };
  return {
    columns: [
      { key: 'id', kind: 'id' },
      { key: 'name', priority: 90, minWidth: 24 },
      { key: 'state', kind: 'status', value: formatState, priority: 95 },
      { key: 'startsAt', header: 'starts', kind: 'time', value: timeOf('startsAt'), priority: 80 },
      { key: 'endsAt', header: 'ends', kind: 'time', value: timeOf('endsAt'), priority: 80 },
      repeats,
      pauses,
      silences,
    ],
    arrange(windows, isAll) {
      const sorted = windows.toSorted(
        (a, b) =>
          stateOrder.indexOf(statusOf(a).state) - stateOrder.indexOf(statusOf(b).state) ||
          sortKey(a) - sortKey(b),
      );
      // Only the complete list shows which window is next.
      const first = isAll ? sorted.find((window) => statusOf(window).state === 'upcoming') : undefined;
      next = first && statusOf(first).occurrence?.startsAt;
      return sorted;
    },
  };
}

export const itemColumns = (now: number): readonly Column<MaintenanceWindow>[] => [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'description' },
  { key: 'startsAt', header: 'starts', kind: 'time' },
  { key: 'endsAt', header: 'ends', kind: 'time' },
  { key: 'timezone', header: 'time zone' },
  { key: 'repeat', header: 'repeats', value: formatRepeat },
  { key: 'repeatEndsAt', header: 'repeats until', kind: 'time' },
  { key: 'pauseAllChecks', header: 'pauses all checks', kind: 'boolean' },
  { key: 'tags', header: 'applies to', kind: 'list' },
  { key: 'silenceAllAlerts', header: 'silences all alerts', kind: 'boolean' },
  { key: 'silenceAlertsTags', header: 'silences alerts of', kind: 'list' },
  { key: 'statusPageVisibility.enabled', header: 'on status pages', kind: 'boolean' },
  { key: 'statusPageVisibility.statusPageIds', header: 'status pages', kind: 'list' },
  { key: 'statusPageVisibility.serviceIds', header: 'services', kind: 'list' },
  { key: 'created_at', header: 'created', kind: 'time' },
  { key: 'updated_at', header: 'updated', kind: 'time' },
  { key: 'state', kind: 'status', value: (window) => windowStatus(window, now).state },
];

/** How a maintenance window reads in a terminal. */
import type { getMaintenanceWindow, ResponseOf } from '../../src/contract/index.ts';
import type { Column } from '../../src/terminal/index.ts';

export type MaintenanceWindow = ResponseOf<typeof getMaintenanceWindow>;

/** `every 2 weeks`; nothing for a window that happens once. */
export function repeatText({ repeatUnit, repeatInterval }: MaintenanceWindow): string | undefined {
  if (!repeatUnit) return undefined;
  const unit = repeatUnit.toLowerCase();
  const interval = repeatInterval ?? 1;
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
}

/** What it is for, in the words of a person: which checks pause. */
const pauses = ({ pauseAllChecks, tags }: MaintenanceWindow): readonly string[] =>
  pauseAllChecks ? ['all checks'] : (tags ?? []);

const silences = ({ silenceAllAlerts, silenceAlertsTags }: MaintenanceWindow): readonly string[] =>
  silenceAllAlerts ? ['all alerts'] : (silenceAlertsTags ?? []);

export const listColumns: readonly Column<MaintenanceWindow>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name', priority: 90 },
  { key: 'startsAt', header: 'starts', kind: 'time', priority: 80 },
  { key: 'endsAt', header: 'ends', kind: 'time', priority: 80 },
  { key: 'repeat', header: 'repeats', value: repeatText, priority: 60 },
  { key: 'tags', header: 'pauses', value: pauses, kind: 'list', priority: 70 },
  { key: 'silenceAlertsTags', header: 'silences', value: silences, kind: 'list' },
];

export const itemColumns: readonly Column<MaintenanceWindow>[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'description' },
  { key: 'startsAt', header: 'starts', kind: 'time' },
  { key: 'endsAt', header: 'ends', kind: 'time' },
  { key: 'timezone', header: 'time zone' },
  { key: 'repeat', header: 'repeats', value: repeatText },
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
];

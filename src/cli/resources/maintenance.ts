/** Describes maintenance windows for their commands. */
import { type createMaintenanceWindow, getMaintenanceWindow } from '../../contract/index.ts';
import type { FlagOverrides } from '../framework/types.ts';
import { itemColumns, type MaintenanceWindow } from './maintenance-state.ts';
import type { Resource } from './resource.ts';

export const maintenance = {
  commandGroup: 'maintenance',
  noun: 'maintenance window',
  plural: 'maintenance windows',
  catalogKey: 'maintenance-window',
  param: 'id',
  get: getMaintenanceWindow,
  sampleId: '12',
  // The columns depend on the time: `view` creates them.
  columns: [],
  fields: [],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  view: ({ clock }, line, window) => ({
    kind: 'item',
    data: window,
    output: line.output,
    columns: itemColumns(clock.now()),
    card: async (shown) =>
      (await import('./lazy/maintenance-card.ts')).maintenanceCard(line, shown, clock.now()),
  }),
} satisfies Resource<MaintenanceWindow>;

/** Names the flags of nested fields, and groups all flags for help. */
export const windowFlags = {
  names: {
    'statusPageVisibility.enabled': 'show-on-pages',
    'statusPageVisibility.statusPageIds': 'status-pages',
    'statusPageVisibility.affectAllServices': 'all-services',
    'statusPageVisibility.serviceIds': 'services',
    'statusPageVisibility.suppressAutoIncidents': 'suppress-incidents',
    'statusPageVisibility.notifyOnStart': 'notify-on-start',
    'statusPageVisibility.notifyOnEnd': 'notify-on-end',
    'statusPageVisibility.reminderMinutesBefore': 'remind-before',
  },
  groups: {
    Schedule: ['startsAt', 'endsAt', 'timezone', 'repeatUnit', 'repeatInterval', 'repeatEndsAt'],
    'Checks and alerts': ['tags', 'pauseAllChecks', 'silenceAllAlerts', 'silenceAlertsTags'],
    'Status pages': [
      'statusPageVisibility.enabled',
      'statusPageVisibility.statusPageIds',
      'statusPageVisibility.affectAllServices',
      'statusPageVisibility.serviceIds',
      'statusPageVisibility.suppressAutoIncidents',
      'statusPageVisibility.notifyOnStart',
      'statusPageVisibility.notifyOnEnd',
      'statusPageVisibility.reminderMinutesBefore',
      'statusPageVisibility',
    ],
  },
} as const satisfies FlagOverrides<typeof createMaintenanceWindow>;

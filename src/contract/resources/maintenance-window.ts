/** Schemas of maintenance windows. Specification: Maintenance window. */

import { REPEAT_UNITS, SEVERITIES } from '../enumerations.ts';
import { NAME_LIMIT, RESOURCE_NAME_LIMIT, TAGS_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  date,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  set,
  string,
  type Type,
  uuid,
} from '../schema.ts';

const statusPageVisibility = closed(
  allOptional({
    enabled: boolean('Whether status pages show the window'),
    severity: nullable(oneOf(SEVERITIES, 'Severity on status pages', { 'x-gaps': ['*'] })),
    affectAllServices: boolean('Whether the window affects all services of the pages'),
    suppressAutoIncidents: boolean('Whether automatic incidents are suppressed during the window'),
    notifyOnStart: boolean('Whether subscribers are notified when the window starts'),
    notifyOnEnd: boolean('Whether subscribers are notified when the window ends'),
    autoStart: boolean('Whether status pages show the window as started at its start time', {
      default: true,
      'x-gaps': ['default'],
    }),
    autoEnd: boolean('Whether status pages show the window as ended at its end time', {
      default: true,
      'x-gaps': ['default'],
    }),
    reminderMinutesBefore: set(
      number('Minutes before the start', { minimum: 1, maximum: 10080, 'x-gaps': ['minimum', 'maximum'] }),
      'Times of the reminders to subscribers, in minutes before the start',
      { maxItems: 3, 'x-gaps': ['maxItems'] },
    ),
    statusPageIds: set(string('ID of a status page'), 'Status pages that show the window'),
    serviceIds: set(string('ID of a service'), 'Affected services'),
  }),
  { title: 'StatusPageVisibility', description: 'Display on status pages' },
);

const windowFields = {
  name: string('Name of the window', {
    ...RESOURCE_NAME_LIMIT,
    maxLength: 200,
  }),
  startsAt: date('Start time'),
  endsAt: date('End time; a date includes that day'),
};
const furtherFields = {
  tags: set(
    string('Name or tag of a check or group', NAME_LIMIT),
    'Checks and groups to pause, by name or tag',
    TAGS_LIMIT,
  ),
  repeatInterval: nullable(
    number('Interval between repetitions, in units of repeatUnit', {
      minimum: 1,
      'x-gaps': ['minimum'],
      'x-unset': 0,
    }),
  ),
  repeatUnit: nullable(oneOf(REPEAT_UNITS, 'Unit of repeatInterval', { 'x-absent': null, 'x-unset': '' })),
  repeatEndsAt: nullable(date('Latest start of a repetition; a date includes that day', { 'x-unset': '' })),
  description: nullable(string('Description of the work', { maxLength: 2000, 'x-gaps': ['maxLength'] })),
  timezone: string('IANA time zone of the window', { default: 'UTC', ...NAME_LIMIT, 'x-gaps': ['*'] }),
  statusPageVisibility,
  pauseAllChecks: boolean('Whether all checks are paused', { default: false }),
  silenceAlertsTags: set(
    string('Tag', NAME_LIMIT),
    'Tags of the checks and groups whose alerts are silenced',
    TAGS_LIMIT,
  ),
  silenceAllAlerts: boolean('Whether all alerts are silenced', { default: false }),
};

/** Body that creates a window. */
export const maintenanceWindowBody = closed(
  {
    ...windowFields,
    ...allOptional(furtherFields),
    repeatUnit: furtherFields.repeatUnit,
  },
  { title: 'MaintenanceWindowRequest' },
);
/** Body that updates a window; absent fields stay unchanged. */
export const maintenanceWindowChange = closed(allOptional({ ...windowFields, ...furtherFields }), {
  title: 'MaintenanceWindowChange',
});

const exception = open(
  {
    startsAt: date('Start by the times of the window'),
    movedTo: nullable(
      open(
        { startsAt: date('Start'), endsAt: date('End, exclusive') },
        { description: 'Other times; null: the repetition was cancelled' },
      ),
    ),
  },
  { title: 'MaintenanceException' },
);

export const maintenanceWindow = open(
  {
    id: number('ID of the window'),
    ...windowFields,
    created_at: date('Creation time'),
    updated_at: nullable(date('Time of the last change')),
    ...allOptional(furtherFields),
    ...allOptional({
      openSince: nullable(date('Time since which the window is open; null: not open', { 'x-gaps': ['*'] })),
      exceptions: array(exception, 'Repetitions that were moved or cancelled', { 'x-gaps': ['*'] }),
    }),
  },
  { title: 'MaintenanceWindow' },
);
/** One repetition of a window, as published clients read it. */
export const maintenance = open(
  {
    id: uuid('ID of the maintenance, which follows from the window and from the start by its times'),
    maintenanceWindowId: number('ID of the window'),
    startsAt: date('Start'),
    endsAt: date('End, exclusive'),
    status: openOneOf(['SCHEDULED', 'IN_PROGRESS', 'COMPLETED'], 'State by its times'),
    created_at: date('Creation time of the window'),
    updated_at: date('Time of the last change of the window'),
  },
  { title: 'Maintenance' },
);
/** Body that moves a repetition; an absent time stays. */
export const maintenanceChange = closed(
  allOptional({ startsAt: date('Start'), endsAt: date('End; a date includes that day') }),
  { title: 'MaintenanceChange' },
);
export type MaintenanceWindow = Type.Static<typeof maintenanceWindow>;

/** A filter on a date: exactly one comparison. */
export const dateFilter = (field: string) =>
  closed(
    allOptional({
      gt: date('Later than'),
      gte: date('At or later than'),
      lt: date('Earlier than'),
      lte: date('At or earlier than'),
    }),
    {
      title: 'DateFilter',
      description: `Filter by ${field}: exactly one of gt, gte, lt or lte, with a date (gte=2026-11-21)`,
      minProperties: 1,
      maxProperties: 1,
      'x-example': `${field}[gte]=2026-11-21`,
      'x-gaps': ['additionalProperties', 'minProperties', 'maxProperties'],
    },
  );

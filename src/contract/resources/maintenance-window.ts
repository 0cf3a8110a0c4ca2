/** Maintenance window. Specification: Maintenance window. */

import { REPEAT_UNITS, SEVERITIES } from '../enumerations.ts';
import { NAME_LIMIT, TAGS_LIMIT } from '../limits.ts';
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
  string,
  type Type,
} from '../schema.ts';

const statusPageVisibility = closed(
  allOptional({
    enabled: boolean('Whether the window shows on status pages'),
    severity: nullable(oneOf(SEVERITIES, 'Severity shown', { 'x-gaps': ['*'] })),
    affectAllServices: boolean('Whether every service of the pages is affected'),
    suppressAutoIncidents: boolean('Whether incidents of failing checks are held back'),
    notifyOnStart: boolean('Whether subscribers are told of the start'),
    notifyOnEnd: boolean('Whether subscribers are told of the end'),
    autoStart: boolean('Whether it is shown as started by itself', { default: true, 'x-gaps': ['default'] }),
    autoEnd: boolean('Whether it is shown as ended by itself', { default: true, 'x-gaps': ['default'] }),
    reminderMinutesBefore: array(
      number('Minutes before the start', { minimum: 60, maximum: 10080, 'x-gaps': ['minimum', 'maximum'] }),
      'When subscribers are reminded, in minutes before the start',
      { maxItems: 3, 'x-gaps': ['maxItems'] },
    ),
    statusPageIds: array(string('Id of a status page'), 'Pages that show it'),
    serviceIds: array(string('Id of a service'), 'Services it affects'),
  }),
  { title: 'StatusPageVisibility', description: 'How status pages show the window' },
);

const windowFields = {
  name: string('Name of the window', { minLength: 1, maxLength: 200, 'x-gaps': ['minLength', 'maxLength'] }),
  startsAt: date('When it starts'),
  endsAt: date('When it ends'),
};
const furtherFields = {
  tags: array(
    string('Name or tag of a check or group', NAME_LIMIT),
    'Checks and groups the window applies to',
    TAGS_LIMIT,
  ),
  repeatInterval: nullable(number('Every how many units it repeats', { minimum: 1, 'x-gaps': ['minimum'] })),
  repeatUnit: nullable(oneOf(REPEAT_UNITS, 'Unit of the repetition')),
  repeatEndsAt: nullable(date('When the repetition ends')),
  description: nullable(string('What is done', { maxLength: 2000, 'x-gaps': ['maxLength'] })),
  timezone: string('Time zone of the window (IANA name)', { default: 'UTC', 'x-gaps': ['*'] }),
  statusPageVisibility,
  pauseAllChecks: boolean('Whether all checks pause', { default: false }),
  silenceAlertsTags: array(
    string('A tag', NAME_LIMIT),
    'Checks and groups whose alerts are silenced',
    TAGS_LIMIT,
  ),
  silenceAllAlerts: boolean('Whether all alerts are silenced', { default: false }),
};

/** Body of the neighbour that creates a window. */
export const maintenanceWindowBody = closed(
  {
    ...windowFields,
    ...allOptional(furtherFields),
    repeatUnit: furtherFields.repeatUnit,
  },
  { title: 'MaintenanceWindowRequest' },
);
/** Body of the neighbour that changes one: only what is given changes. */
export const maintenanceWindowChange = closed(allOptional({ ...windowFields, ...furtherFields }), {
  title: 'MaintenanceWindowChange',
});

export const maintenanceWindow = open(
  {
    id: number('Id of the window'),
    ...windowFields,
    created_at: date('When it was created'),
    updated_at: nullable(date('When it was last changed')),
    ...allOptional(furtherFields),
    ...allOptional({
      openSince: nullable(date('Since when it is open; null: it is not', { 'x-gaps': ['*'] })),
    }),
  },
  { title: 'MaintenanceWindow' },
);
export type MaintenanceWindow = Type.Static<typeof maintenanceWindow>;

/** A filter on a date: exactly one comparison. */
export const dateFilter = (field: string) =>
  closed(
    allOptional({
      gt: date('later than'),
      gte: date('at or later than'),
      lt: date('earlier than'),
      lte: date('at or earlier than'),
    }),
    {
      title: 'DateFilter',
      description: `Only windows whose ${field} is gt, gte, lt or lte a date (gte=2026-11-21)`,
      minProperties: 1,
      maxProperties: 1,
      'x-gaps': ['additionalProperties', 'minProperties', 'maxProperties'],
    },
  );

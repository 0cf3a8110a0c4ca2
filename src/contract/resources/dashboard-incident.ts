/** Schemas of the incidents of dashboards and their updates (docs/gaps.md). */
import { RESOURCE_NAME_LIMIT, TEXT_LIMIT } from '../limits.ts';
import {
  allOptional,
  array,
  boolean,
  closed,
  dateTime,
  integer,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  uuid,
} from '../schema.ts';
import { INCIDENT_STATUSES } from './incident-update.ts';

const IMPACTS = ['MAINTENANCE', 'MAJOR', 'MINOR'] as const;
const STATUSES = [...INCIDENT_STATUSES, 'MAINTENANCE'] as const;

const description = string('Text of the update', { minLength: 1, ...TEXT_LIMIT });
const ofIncident = {
  name: string('Name of the incident', RESOURCE_NAME_LIMIT),
  impact: oneOf(IMPACTS, 'Impact of the incident', { default: 'MINOR' }),
  startedAt: nullable(dateTime('Time from which the dashboard shows the incident; default: its creation')),
  stoppedAt: nullable(dateTime('Time from which the dashboard no longer shows the incident')),
};

/** Body of an update of an incident of a dashboard. */
export const dashboardIncidentUpdateBody = closed(
  { status: oneOf(STATUSES, 'Status of the incident'), description },
  { title: 'DashboardIncidentUpdateRequest' },
);
/** Body that changes an update. */
export const dashboardIncidentUpdateChange = closed(
  { description },
  { title: 'DashboardIncidentUpdateChange' },
);

/** Body that creates an incident of a dashboard. */
export const dashboardIncidentBody = closed(
  {
    name: ofIncident.name,
    dashboardId: integer('Number of the dashboard: `id` of the dashboard, not `dashboardId`', { minimum: 0 }),
    incidentUpdates: array(dashboardIncidentUpdateBody, 'The first update', { minItems: 1, maxItems: 1 }),
    ...allOptional({
      impact: ofIncident.impact,
      startedAt: ofIncident.startedAt,
      stoppedAt: ofIncident.stoppedAt,
    }),
  },
  { title: 'DashboardIncidentRequest' },
);
/** Body that changes an incident; omitted fields do not change. */
export const dashboardIncidentChange = closed(allOptional(ofIncident), { title: 'DashboardIncidentChange' });

export const dashboardIncidentUpdate = open(
  {
    id: uuid('ID of the update'),
    incidentId: uuid('ID of the incident'),
    status: openOneOf(STATUSES, 'Status of the incident'),
    description: string('Text of the update'),
    created_at: dateTime('Creation time'),
    updated_at: nullable(dateTime('Time of the last change')),
  },
  { title: 'DashboardIncidentUpdate' },
);

export const dashboardIncident = open(
  {
    id: uuid('ID of the incident'),
    name: string('Name of the incident'),
    impact: openOneOf(IMPACTS, 'Impact of the incident'),
    startedAt: nullable(dateTime('Time from which the dashboard shows the incident; null: its creation')),
    stoppedAt: nullable(dateTime('Time from which the dashboard no longer shows the incident')),
    dashboardId: number('Number of the dashboard'),
    incidentUpdates: optional(
      array(dashboardIncidentUpdate, 'Updates, newest first; absent in the answer to a change'),
    ),
    created_at: dateTime('Creation time'),
    updated_at: nullable(dateTime('Time of the last change')),
  },
  { title: 'DashboardIncident' },
);

export const dashboardIncidentQuery = allOptional({
  includeAllIncidentUpdates: boolean('Whether the answer has all updates, not only the newest one', {
    default: false,
  }),
});

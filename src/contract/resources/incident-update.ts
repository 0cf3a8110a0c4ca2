/** Schemas of incident updates (docs/gaps.md). */
import { TEXT_LIMIT } from '../limits.ts';
import {
  boolean,
  closed,
  date,
  dateTime,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  uuid,
} from '../schema.ts';

export const INCIDENT_STATUSES = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const;

const description = string('Text of the update', { minLength: 1, ...TEXT_LIMIT });
const status = oneOf(INCIDENT_STATUSES, 'Status of the incident');
const optionalFields = {
  publicIncidentUpdateDate: optional(
    dateTime('Time of the update on status pages; default: the current time'),
  ),
  notifySubscribers: optional(boolean('Whether subscribers of the pages are notified', { default: false })),
};

/** An update in the body of an incident. */
export const nestedIncidentUpdate = closed({ description, status, ...optionalFields });
/** An update in a change of an incident. */
export const changedIncidentUpdate = closed({
  description,
  status,
  ...optionalFields,
  id: optional(
    string('ID of an existing update, which stays unchanged; only updates without an ID are added'),
  ),
});

/** Body of an update with its own endpoint. Without a status the incident, or the update, retains its status. */
export const incidentUpdateBody = closed(
  { description, status: optional(status), ...optionalFields },
  { title: 'IncidentUpdateRequest' },
);

export const incidentUpdate = open(
  {
    id: uuid('ID of the update'),
    description: string('Text of the update'),
    status: openOneOf(INCIDENT_STATUSES, 'Status of the incident'),
    publicIncidentUpdateDate: optional(dateTime('Time of the update on status pages')),
    notifySubscribers: boolean('Whether subscribers were notified'),
    created_at: date('Creation time'),
  },
  { title: 'IncidentUpdate' },
);

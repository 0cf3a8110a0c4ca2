/** Describes incidents for their commands. */
import { type createIncident, getIncident, type ResponseOf } from '../../contract/index.ts';
import { table } from '../../terminal/card/card.ts';
import type { Column, Tone } from '../../terminal/index.ts';
import type { FlagOverrides } from '../framework/types.ts';
import type { Resource } from './resource.ts';

export type Incident = ResponseOf<typeof getIncident>;

const affectedServices: Column<Incident> = {
  key: 'services',
  value: ({ services }) => services.map(({ name, id }) => name ?? id ?? ''),
  kind: 'list',
  priority: 60,
};

export const isResolved = ({ lastUpdateStatus }: Pick<Incident, 'lastUpdateStatus'>): boolean =>
  lastUpdateStatus === 'RESOLVED';

export const incidents = {
  commandGroup: 'incidents',
  noun: 'incident',
  plural: 'incidents',
  catalogKey: 'incident',
  param: 'id',
  get: getIncident,
  sampleId: '8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'lastUpdateStatus', header: 'status', kind: 'status', priority: 95 },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'severity', priority: 80 },
    affectedServices,
    { key: 'created_at', header: 'opened', kind: 'time', priority: 70 },
    { key: 'updated_at', header: 'updated', kind: 'time', priority: 40, isRedundant: true },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'lastUpdateStatus', header: 'status', kind: 'status' },
    { key: 'severity' },
    affectedServices,
    { key: 'created_at', header: 'opened', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  page: ({ id }) => `/incidents/${id}`,
  nameOf: ({ name }) => name,
  stateOf: ({ lastUpdateStatus }) => lastUpdateStatus,
  toneOf: (incident): Tone => (isResolved(incident) ? 'good' : 'bad'),
  sections: ({ incidentUpdates }) => [
    table({
      heading: 'Updates',
      columns: [
        { key: 'created_at', header: 'posted', kind: 'time' as const, priority: 90 },
        { key: 'status', priority: 80 },
        { key: 'description', priority: 100, minWidth: 20, lines: 6 },
        { key: 'notifySubscribers', header: 'notified', kind: 'boolean' as const, priority: 40 },
      ],
      rows: incidentUpdates,
    }),
  ],
  nextCommands: (incident) =>
    isResolved(incident)
      ? []
      : [
          [
            'Post an update',
            'incidents',
            'update',
            incident.id,
            '--status',
            'IDENTIFIED',
            '--description',
            '…',
          ],
          ['Resolve the incident', 'incidents', 'resolve', incident.id],
        ],
} satisfies Resource<Incident>;

/** Names the flags of the incident update in the body. */
export const incidentFlags = {
  names: {
    'incidentUpdates.0.description': 'description',
    'incidentUpdates.0.status': 'status',
    'incidentUpdates.0.notifySubscribers': 'notify',
  },
  without: ['incidentUpdates'],
} as const satisfies FlagOverrides<typeof createIncident>;

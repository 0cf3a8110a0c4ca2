/** Describes the services of status pages for their commands. */
import { getService, type ResponseOf } from '../../contract/index.ts';
import type { Resource } from './resource.ts';

type Service = ResponseOf<typeof getService>;

export const services = {
  commandGroup: 'services',
  noun: 'service',
  plural: 'services',
  catalogKey: 'service',
  param: 'id',
  get: getService,
  sampleId: '4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'created_at', header: 'created', kind: 'time' },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'description' },
    { key: 'hidden', kind: 'boolean' },
    { key: 'showHistoricalData', header: 'uptime bars', kind: 'boolean' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  nextCommands: ({ id = '' }) => [['Open an incident', 'incidents', 'create', '--services', id]],
} satisfies Resource<Service>;

/** Describes the services of status pages for their commands. */
import {
  createService,
  deleteService,
  getService,
  listServices,
  type ResponseOf,
  updateService,
} from '../../contract/index.ts';
import type { Resource, ResourceEndpoints } from './resource.ts';

type Service = ResponseOf<typeof getService>;

export const services = {
  commandGroup: 'services',
  noun: 'service',
  plural: 'services',
  catalogKey: 'service',
  param: 'id',
  list: listServices,
  get: getService,
  create: createService,
  update: updateService,
  delete: deleteService,
  sampleId: '4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'created_at', header: 'created', kind: 'time' },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'name' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  nextCommands: ({ id = '' }) => [['Open an incident', 'incidents', 'create', '--services', id]],
} satisfies Resource<Service> & ResourceEndpoints;

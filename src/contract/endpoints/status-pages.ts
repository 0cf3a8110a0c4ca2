/** Neighbours: status pages, their services and incidents. */
import * as resources from '../resources/neighbours.ts';
import {
  statusPage,
  statusPageAccess,
  statusPageAccessChange,
  statusPageBody,
} from '../resources/status-page.ts';
import { string, uuid } from '../schema.ts';
import { cursorPage, cursorQuery, define, forceQuery } from './define.ts';

const pages = { resource: 'status pages' } as const;
export const listStatusPages = define({
  ...pages,
  name: 'listStatusPages',
  method: 'GET',
  path: '/v1/status-pages',
  summary: 'List status pages',
  query: cursorQuery,
  response: cursorPage(statusPage),
  paging: 'cursor',
});
export const createStatusPage = define({
  ...pages,
  name: 'createStatusPage',
  method: 'POST',
  path: '/v1/status-pages',
  summary: 'Create a status page',
  body: statusPageBody,
  rules: ['reachablePage'],
  response: statusPage,
  status: 201,
});
export const deleteStatusPage = define({
  ...pages,
  name: 'deleteStatusPage',
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}',
  summary: 'Delete a status page',
  params: { statusPageId: string('Id of the status page') },
});
export const updateStatusPageAccess = define({
  ...pages,
  name: 'updateStatusPageAccess',
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}/access',
  summary: 'Change who may read a status page, and whether it names what made it',
  params: { statusPageId: string('Id of the status page') },
  body: statusPageAccessChange,
  response: statusPageAccess,
});

const services = { resource: 'status page services' } as const;
const serviceId = { id: uuid('Id of the service') };
export const listServices = define({
  ...services,
  name: 'listServices',
  method: 'GET',
  path: '/v1/status-pages/services',
  summary: 'List status page services',
  query: cursorQuery,
  response: cursorPage(resources.service),
  paging: 'cursor',
});
export const createService = define({
  ...services,
  name: 'createService',
  method: 'POST',
  path: '/v1/status-pages/services',
  summary: 'Create a status page service',
  body: resources.serviceBody,
  response: resources.service,
  status: 201,
});
export const getService = define({
  ...services,
  name: 'getService',
  method: 'GET',
  path: '/v1/status-pages/services/{id}',
  summary: 'Read a status page service',
  params: serviceId,
  response: resources.service,
});
export const updateService = define({
  ...services,
  name: 'updateService',
  method: 'PUT',
  path: '/v1/status-pages/services/{id}',
  summary: 'Change a status page service',
  params: serviceId,
  body: resources.serviceBody,
  response: resources.service,
});
export const deleteService = define({
  ...services,
  name: 'deleteService',
  method: 'DELETE',
  path: '/v1/status-pages/services/{id}',
  summary: 'Delete a status page service',
  params: serviceId,
  query: forceQuery,
});

const incidents = { resource: 'incidents' } as const;
const incidentId = { id: uuid('Id of the incident') };
export const listIncidents = define({
  ...incidents,
  name: 'listIncidents',
  method: 'GET',
  path: '/v1/status-pages/incidents',
  summary: 'List incidents',
  query: cursorQuery,
  response: cursorPage(resources.incident),
  paging: 'cursor',
});
export const createIncident = define({
  ...incidents,
  name: 'createIncident',
  method: 'POST',
  path: '/v1/status-pages/incidents',
  summary: 'Open an incident',
  body: resources.incidentBody,
  response: resources.incident,
  status: 201,
});
export const getIncident = define({
  ...incidents,
  name: 'getIncident',
  method: 'GET',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Read an incident',
  params: incidentId,
  response: resources.incident,
});
export const updateIncident = define({
  ...incidents,
  name: 'updateIncident',
  method: 'PUT',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Change an incident or add an update',
  params: incidentId,
  body: resources.incidentChange,
  response: resources.incident,
});
export const deleteIncident = define({
  ...incidents,
  name: 'deleteIncident',
  method: 'DELETE',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Delete an incident',
  params: incidentId,
});

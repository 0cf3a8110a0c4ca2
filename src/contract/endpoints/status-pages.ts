/** Endpoints of status pages, their services and incidents. */
import * as resources from '../resources/account-resources.ts';
import {
  statusPage,
  statusPageAccess,
  statusPageAccessChange,
  statusPageBody,
} from '../resources/status-page.ts';
import { allOptional, boolean, string, uuid } from '../schema.ts';
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
  response: statusPage,
  status: 201,
});
export const deleteStatusPage = define({
  ...pages,
  name: 'deleteStatusPage',
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}',
  summary: 'Delete a status page',
  params: { statusPageId: string('ID of the status page') },
});
export const updateStatusPageAccess = define({
  ...pages,
  name: 'updateStatusPageAccess',
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}/access',
  summary: 'Update the access settings of a status page',
  params: { statusPageId: string('ID of the status page') },
  body: statusPageAccessChange,
  response: statusPageAccess,
  // A body without fields reads the access.
  sendsEmptyBody: true,
});

export const verifyStatusPageDomain = define({
  ...pages,
  name: 'verifyStatusPageDomain',
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/verify-domain',
  summary: 'Verify the custom domain of a status page',
  params: { statusPageId: string('ID of the status page') },
  response: statusPage,
});

const services = { resource: 'status page services' } as const;
const serviceId = { id: uuid('ID of the service') };
export const listServices = define({
  ...services,
  name: 'listServices',
  method: 'GET',
  path: '/v1/status-pages/services',
  summary: 'List status page services',
  query: {
    ...cursorQuery,
    ...allOptional({
      paginated: boolean('Whether to return a page; otherwise all services', { default: true }),
    }),
  },
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
  summary: 'Get a status page service',
  params: serviceId,
  response: resources.service,
});
export const updateService = define({
  ...services,
  name: 'updateService',
  method: 'PUT',
  path: '/v1/status-pages/services/{id}',
  summary: 'Update a status page service',
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
const incidentId = { id: uuid('ID of the incident') };
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
  summary: 'Create an incident',
  body: resources.incidentBody,
  response: resources.incident,
  status: 201,
});
export const getIncident = define({
  ...incidents,
  name: 'getIncident',
  method: 'GET',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Get an incident',
  params: incidentId,
  response: resources.incident,
});
export const updateIncident = define({
  ...incidents,
  name: 'updateIncident',
  method: 'PUT',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Update an incident, or add an incident update',
  params: incidentId,
  body: resources.incidentChange,
  response: resources.incident,
});
export const patchIncident = define({
  ...incidents,
  name: 'patchIncident',
  method: 'PATCH',
  path: '/v1/status-pages/incidents/{id}',
  summary: 'Update an incident, or add an incident update; the same as PUT',
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

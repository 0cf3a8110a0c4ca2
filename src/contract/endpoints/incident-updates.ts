/** Endpoints of the updates of an incident. */
import * as resources from '../resources/incident-update.ts';
import { Type, uuid } from '../schema.ts';
import { define } from './define.ts';

const updates = { resource: 'incidents' } as const;
const incidentId = { id: uuid('ID of the incident') };
const updateId = { ...incidentId, updateId: uuid('ID of the incident update') };
export const listIncidentUpdates = define({
  ...updates,
  name: 'listIncidentUpdates',
  method: 'GET',
  path: '/v1/status-pages/incidents/{id}/incident-updates',
  summary: 'List the newest 100 updates of an incident',
  params: incidentId,
  response: Type.Array(resources.incidentUpdate),
});
export const createIncidentUpdate = define({
  ...updates,
  name: 'createIncidentUpdate',
  method: 'POST',
  path: '/v1/status-pages/incidents/{id}/incident-updates',
  summary: 'Add an update to an incident',
  params: incidentId,
  body: resources.incidentUpdateBody,
  response: resources.incidentUpdate,
});
export const getIncidentUpdate = define({
  ...updates,
  name: 'getIncidentUpdate',
  method: 'GET',
  path: '/v1/status-pages/incidents/{id}/incident-updates/{updateId}',
  summary: 'Get an incident update',
  params: updateId,
  response: resources.incidentUpdate,
});
export const updateIncidentUpdate = define({
  ...updates,
  name: 'updateIncidentUpdate',
  method: 'PUT',
  path: '/v1/status-pages/incidents/{id}/incident-updates/{updateId}',
  summary: 'Change an incident update',
  params: updateId,
  body: resources.incidentUpdateBody,
  response: resources.incidentUpdate,
});
export const deleteIncidentUpdate = define({
  ...updates,
  name: 'deleteIncidentUpdate',
  method: 'DELETE',
  path: '/v1/status-pages/incidents/{id}/incident-updates/{updateId}',
  summary: 'Delete an incident update',
  params: updateId,
});

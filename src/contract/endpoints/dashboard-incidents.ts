/** Endpoints of the incidents of dashboards and of their updates. */
import * as resources from '../resources/dashboard-incident.ts';
import { uuid } from '../schema.ts';
import { define } from './define.ts';

const incidents = { resource: 'dashboards' } as const;
const incidentId = { id: uuid('ID of the incident') };
const updateId = { ...incidentId, updateId: uuid('ID of the incident update') };
export const createDashboardIncident = define({
  ...incidents,
  name: 'createDashboardIncident',
  method: 'POST',
  path: '/v1/incidents',
  summary: 'Create an incident of a dashboard',
  body: resources.dashboardIncidentBody,
  response: resources.dashboardIncident,
});
export const getDashboardIncident = define({
  ...incidents,
  name: 'getDashboardIncident',
  method: 'GET',
  path: '/v1/incidents/{id}',
  summary: 'Get an incident of a dashboard',
  params: incidentId,
  query: resources.dashboardIncidentQuery,
  response: resources.dashboardIncident,
});
export const updateDashboardIncident = define({
  ...incidents,
  name: 'updateDashboardIncident',
  method: 'PUT',
  path: '/v1/incidents/{id}',
  summary: 'Update an incident of a dashboard; omitted fields do not change',
  params: incidentId,
  body: resources.dashboardIncidentChange,
  response: resources.dashboardIncident,
});
export const deleteDashboardIncident = define({
  ...incidents,
  name: 'deleteDashboardIncident',
  method: 'DELETE',
  path: '/v1/incidents/{id}',
  summary: 'Delete an incident of a dashboard with its updates',
  params: incidentId,
});
export const createDashboardIncidentUpdate = define({
  ...incidents,
  name: 'createDashboardIncidentUpdate',
  method: 'POST',
  path: '/v1/incidents/{id}/updates',
  summary: 'Add an update to an incident of a dashboard',
  params: incidentId,
  body: resources.dashboardIncidentUpdateBody,
  response: resources.dashboardIncidentUpdate,
  status: 201,
});
export const updateDashboardIncidentUpdate = define({
  ...incidents,
  name: 'updateDashboardIncidentUpdate',
  method: 'PUT',
  path: '/v1/incidents/{id}/updates/{updateId}',
  summary: 'Change the text of an update of an incident of a dashboard',
  params: updateId,
  body: resources.dashboardIncidentUpdateChange,
  response: resources.dashboardIncidentUpdate,
});
export const deleteDashboardIncidentUpdate = define({
  ...incidents,
  name: 'deleteDashboardIncidentUpdate',
  method: 'DELETE',
  path: '/v1/incidents/{id}/updates/{updateId}',
  summary: 'Delete an update of an incident of a dashboard',
  params: updateId,
});

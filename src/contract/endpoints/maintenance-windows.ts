/** Endpoints of maintenance windows. */
import {
  maintenance,
  maintenanceChange,
  maintenanceWindow,
  maintenanceWindowBody,
  maintenanceWindowChange,
} from '../resources/maintenance-window.ts';
import { integer, Type, uuid } from '../schema.ts';
import { define, pageQuery } from './define.ts';

const windows = { resource: 'maintenance windows' } as const;
const windowId = { id: integer('ID of the window') };
export const createMaintenanceWindow = define({
  ...windows,
  name: 'createMaintenanceWindow',
  method: 'POST',
  path: '/v1/maintenance-windows',
  summary: 'Create a maintenance window',
  body: maintenanceWindowBody,
  response: maintenanceWindow,
  status: 201,
  rules: ['maintenanceWindow'],
});
export const updateMaintenanceWindow = define({
  ...windows,
  name: 'updateMaintenanceWindow',
  method: 'PUT',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Update a maintenance window; omitted fields do not change',
  params: windowId,
  body: maintenanceWindowChange,
  response: maintenanceWindow,
  rules: ['maintenanceWindow'],
});
export const deleteMaintenanceWindow = define({
  ...windows,
  name: 'deleteMaintenanceWindow',
  method: 'DELETE',
  path: '/v1/maintenance-windows/{id}',
  summary: 'Delete a maintenance window',
  params: windowId,
});
export const startMaintenanceWindow = define({
  ...windows,
  name: 'startMaintenanceWindow',
  method: 'POST',
  path: '/v1/maintenance-windows/{id}/start',
  summary: 'Start a maintenance window: the occurrence in progress, or the next one within a day',
  params: windowId,
  response: maintenanceWindow,
});
export const endMaintenanceWindow = define({
  ...windows,
  name: 'endMaintenanceWindow',
  method: 'POST',
  path: '/v1/maintenance-windows/{id}/end',
  summary: 'End the current occurrence of an open maintenance window',
  params: windowId,
  response: maintenanceWindow,
});

const maintenanceId = { ...windowId, maintenanceId: uuid('ID of the maintenance') };
export const listMaintenances = define({
  ...windows,
  name: 'listMaintenances',
  method: 'GET',
  path: '/v1/maintenance-windows/{id}/maintenances',
  summary: 'List the repetitions of a maintenance window, of a year back and ahead',
  params: windowId,
  query: pageQuery,
  response: Type.Array(maintenance),
  paging: 'page',
});
export const getMaintenance = define({
  ...windows,
  name: 'getMaintenance',
  method: 'GET',
  path: '/v1/maintenance-windows/{id}/maintenances/{maintenanceId}',
  summary: 'Get a repetition of a maintenance window',
  params: maintenanceId,
  response: maintenance,
});
export const updateMaintenance = define({
  ...windows,
  name: 'updateMaintenance',
  method: 'PATCH',
  path: '/v1/maintenance-windows/{id}/maintenances/{maintenanceId}',
  summary: 'Move a repetition of a maintenance window, between those before and after it',
  params: maintenanceId,
  body: maintenanceChange,
  response: maintenance,
});
export const deleteMaintenance = define({
  ...windows,
  name: 'deleteMaintenance',
  method: 'DELETE',
  path: '/v1/maintenance-windows/{id}/maintenances/{maintenanceId}',
  summary: 'Cancel a repetition of a maintenance window',
  params: maintenanceId,
});

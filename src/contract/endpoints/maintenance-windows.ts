/** Endpoints of maintenance windows. */
import {
  maintenanceWindow,
  maintenanceWindowBody,
  maintenanceWindowChange,
} from '../resources/maintenance-window.ts';
import { integer } from '../schema.ts';
import { define } from './define.ts';

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

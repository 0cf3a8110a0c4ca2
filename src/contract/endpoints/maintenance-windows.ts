/** Neighbours: maintenance windows. */
import {
  maintenanceWindow,
  maintenanceWindowBody,
  maintenanceWindowChange,
} from '../resources/maintenance-window.ts';
import { integer } from '../schema.ts';
import { define } from './define.ts';

const windows = { resource: 'maintenance windows' } as const;
const windowId = { id: integer('Id of the window') };
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
  summary: 'Change a maintenance window; only what is given changes',
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
  summary: 'Start a maintenance window: the occurrence that is under way by plan, or the next within a day',
  params: windowId,
  response: maintenanceWindow,
});
export const endMaintenanceWindow = define({
  ...windows,
  name: 'endMaintenanceWindow',
  method: 'POST',
  path: '/v1/maintenance-windows/{id}/end',
  summary: 'End a maintenance window that is open, up to its next occurrence',
  params: windowId,
  response: maintenanceWindow,
});

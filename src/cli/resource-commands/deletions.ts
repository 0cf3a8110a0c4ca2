/**
 * The table of what can be deleted: its endpoint, and how it is spoken of. Each row stands for itself, without spreading, so
 * that the bundle of a command holds its own endpoint alone.
 */
import {
  deleteAlertChannel,
  deleteCheck,
  deleteCheckGroup,
  deleteCheckTrigger,
  deleteDashboard,
  deleteGroupTrigger,
  deleteIncident,
  deleteMaintenanceWindow,
  deletePrivateLocation,
  deleteService,
  deleteSnippet,
  deleteStatusPage,
  deleteVariable,
} from '../../contract/index.ts';
import type { Deletion } from './delete.ts';

export const alertChannel: Deletion = {
  endpoint: deleteAlertChannel,
  word: 'alert-channels',
  kind: 'alert-channel',
  param: 'id',
  placeholder: 'id',
  of: 'alert-channel',
  look: 'alertChannel',
  noun: 'alert channel',
  plural: 'alert channels',
  sample: '31',
  description: 'The channel sends no more notifications.',
};

export const check: Deletion = {
  endpoint: deleteCheck,
  word: 'checks',
  kind: 'check',
  param: 'id',
  placeholder: 'id',
  of: 'check',
  look: 'check',
  noun: 'check',
  plural: 'checks',
  sample: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  description:
    'Deletes the results of the check as well. To stop a check temporarily, run: sonde checks pause',
};

export const checkTrigger: Deletion = {
  endpoint: deleteCheckTrigger,
  kind: 'check-trigger',
  param: 'checkId',
  placeholder: 'check-id',
  of: 'check',
  look: 'checkTrigger',
  noun: 'trigger of check',
  plural: 'triggers of checks',
  sample: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  description: 'The public URL stops working immediately.',
};

export const dashboard: Deletion = {
  endpoint: deleteDashboard,
  word: 'dashboards',
  kind: 'dashboard',
  param: 'dashboardId',
  placeholder: 'id',
  of: 'dashboard',
  look: 'dashboard',
  noun: 'dashboard',
  plural: 'dashboards',
  sample: '3c5d7e9f',
};

export const group: Deletion = {
  endpoint: deleteCheckGroup,
  word: 'groups',
  kind: 'group',
  param: 'id',
  placeholder: 'id',
  of: 'group',
  look: 'group',
  noun: 'check group',
  plural: 'check groups',
  sample: '12',
  description: 'With --force, its checks no longer belong to a group.',
};

export const groupTrigger: Deletion = {
  endpoint: deleteGroupTrigger,
  kind: 'group-trigger',
  param: 'groupId',
  placeholder: 'group-id',
  of: 'group',
  look: 'groupTrigger',
  noun: 'trigger of group',
  plural: 'triggers of groups',
  sample: '12',
  description: 'The public URL stops working immediately.',
};

export const incident: Deletion = {
  endpoint: deleteIncident,
  word: 'incidents',
  kind: 'incident',
  param: 'id',
  placeholder: 'id',
  of: 'incident',
  look: 'incident',
  noun: 'incident',
  plural: 'incidents',
  sample: '8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e',
  description:
    'Removes the incident from the history of its status pages. To end an incident, run: sonde incidents resolve',
};

export const maintenance: Deletion = {
  endpoint: deleteMaintenanceWindow,
  word: 'maintenance',
  kind: 'maintenance',
  param: 'id',
  placeholder: 'id',
  of: 'maintenance-window',
  look: 'maintenanceWindow',
  noun: 'maintenance window',
  plural: 'maintenance windows',
  sample: '12',
};

export const privateLocation: Deletion = {
  endpoint: deletePrivateLocation,
  word: 'private-locations',
  kind: 'private-location',
  param: 'id',
  placeholder: 'id',
  of: 'private-location',
  look: 'privateLocation',
  noun: 'private location',
  plural: 'private locations',
  sample: '2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f',
  description:
    'Agents of the location receive no more work. With --force, sonde pauses checks that have no other location.',
};

export const service: Deletion = {
  endpoint: deleteService,
  word: 'services',
  kind: 'service',
  param: 'id',
  placeholder: 'id',
  of: 'service',
  look: 'service',
  noun: 'service',
  plural: 'services',
  sample: '4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a',
  description: 'Removes the service from status pages.',
};

export const snippet: Deletion = {
  endpoint: deleteSnippet,
  word: 'snippets',
  kind: 'snippet',
  param: 'id',
  placeholder: 'id',
  of: 'snippet',
  look: 'snippet',
  noun: 'snippet',
  plural: 'snippets',
  sample: '1201',
};

export const statusPage: Deletion = {
  endpoint: deleteStatusPage,
  word: 'status-pages',
  kind: 'status-page',
  param: 'statusPageId',
  placeholder: 'id',
  of: 'status-page',
  look: 'statusPage',
  noun: 'status page',
  plural: 'status pages',
  sample: '7c0f1d2e',
  description: 'The URL stops working, and the subscribers are deleted.',
};

export const variable: Deletion = {
  endpoint: deleteVariable,
  word: 'variables',
  kind: 'variable',
  param: 'key',
  placeholder: 'key',
  of: 'variable',
  look: 'variable',
  noun: 'variable',
  plural: 'variables',
  sample: 'SHOP_URL',
};

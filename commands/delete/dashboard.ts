/** `sonde delete dashboard`: deletes dashboards (endpoint 15). */
import { deleteDashboard } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete dashboard',
  endpoint: deleteDashboard,
  param: 'dashboardId',
  of: 'dashboard',
  look: 'dashboard',
  placeholder: 'id',
  noun: 'dashboard',
  plural: 'dashboards',
  summary: 'Delete dashboards',
  examples: [
    { line: 'delete dashboard 3c5d7e9f', does: 'deletes one, after asking' },
    { line: 'delete dashboard 3c5d7e9f 1a2b3c4d --yes', does: 'asks nothing' },
  ],
});

/** `sonde dashboards get`. */
import { getDashboard } from '../../src/contract/index.ts';
import { dashboards } from '../shared/resources/dashboards.ts';
import { getCommand } from '../shared/resources/read.ts';

export const command = getCommand(dashboards, {
  endpoint: getDashboard,
  examples: [{ line: 'dashboards get 3c5d7e9f', does: 'Show a dashboard' }],
});

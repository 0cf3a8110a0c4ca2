/** `sonde dashboards get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { getDashboard } from '../../src/contract/index.ts';

export const command = getCommand(dashboards, {
  endpoint: getDashboard,
  examples: [{ line: 'dashboards get 3c5d7e9f', does: 'Show a dashboard' }],
});

/** `sonde dashboards update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { updateDashboard } from '../../src/contract/index.ts';

export const command = updateCommand(dashboards, updateDashboard, {
  examples: [
    {
      line: 'dashboards update 3c5d7e9f --width 960PX --refresh-rate 300',
      does: 'Change the width and the refresh rate',
    },
  ],
});

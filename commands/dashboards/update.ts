/** `sonde dashboards update`. */
import { getDashboard, updateDashboard } from '../../src/contract/index.ts';
import { dashboards } from '../shared/resources/dashboards.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(dashboards, {
  get: getDashboard,
  endpoint: updateDashboard,
  examples: [
    {
      line: 'dashboards update 3c5d7e9f --width 960PX --refresh-rate 300',
      does: 'Change the width and the refresh rate',
    },
  ],
});

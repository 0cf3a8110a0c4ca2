/** `sonde dashboards create`. */
import { createDashboard } from '../../src/contract/index.ts';
import { dashboards } from '../shared/resources/dashboards.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(dashboards, {
  endpoint: createDashboard,
  interview: [
    { flag: 'header', message: 'Title' },
    { flag: 'custom-url', message: 'Slug under which it is served' },
    { flag: 'tags', message: 'Tags of the checks that it shows (Enter for all checks)' },
  ],
  examples: [
    {
      line: 'dashboards create --header Shop --custom-url shop --tags shop',
      does: 'shows the checks with a tag',
    },
  ],
});

/** `sonde dashboards create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { createDashboard } from '../../src/contract/index.ts';

export const command = createCommand(dashboards, createDashboard, {
  interview: [
    { flag: 'header', message: 'Title' },
    { flag: 'custom-url', message: 'Slug of the dashboard' },
    { flag: 'tags', message: 'Tags of the checks to show (Enter for all checks)' },
  ],
  examples: [
    {
      line: 'dashboards create --header Shop --custom-url shop --tags shop',
      does: 'Create a dashboard of the checks with a tag',
    },
  ],
});

/** `sonde maintenance get`: shows a maintenance window (endpoint 7). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { itemColumns } from '../../src/cli/resources/maintenance-state.ts';
import { getMaintenanceWindow } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { toCalendar } from './shared/ical.ts';

export const command = defineCommand({
  name: 'maintenance get',
  summary: 'Show a maintenance window',
  endpoint: getMaintenanceWindow,
  formats: ['ical'],
  arguments: { id: argument('ID of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [
    { line: 'maintenance get 12', does: 'Show a window and its next occurrence' },
    {
      line: 'maintenance get 12 --json --fields startsAt,endsAt',
      does: 'Print the start and end time of a window',
    },
    { line: 'maintenance get 12 -o ical > window.ics', does: 'Write a window to a calendar file' },
  ],
  async run({ client, terminal, signal, clock }, line) {
    const { input, output } = line;
    const { body: window } = await (await client()).call(getMaintenanceWindow, input, { signal });
    const now = clock.now();
    const calendar = output.format === 'ical' ? await toCalendar([window], now) : '';
    await render(terminal, {
      kind: 'item',
      data: window,
      output,
      columns: itemColumns(now),
      formats: { ical: () => calendar },
      card: async (shown) => {
        const { maintenanceCard } = await import('../../src/cli/resources/lazy/maintenance-card.ts');
        return maintenanceCard(line, shown, now);
      },
    });
  },
});

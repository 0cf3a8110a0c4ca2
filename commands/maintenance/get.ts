/** `sonde maintenance get`: one maintenance window (endpoint 7). */
import { getMaintenanceWindow } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { toCalendar } from '../shared/maintenance/ical.ts';
import { itemColumns } from '../shared/maintenance/standing.ts';

export const command = defineCommand({
  name: 'maintenance get',
  summary: 'Show a maintenance window',
  endpoint: getMaintenanceWindow,
  formats: ['ical'],
  arguments: { id: argument('Id of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [
    { line: 'maintenance get 12', does: 'shows the window, and when it is open next' },
    { line: 'maintenance get 12 --json --fields startsAt,endsAt', does: 'prints when it holds' },
    { line: 'maintenance get 12 -o ical > window.ics', does: 'writes a calendar with the window' },
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
        const { maintenanceCard } = await import('../shared/maintenance/late/card.ts');
        return maintenanceCard(line, shown, now);
      },
    });
  },
});

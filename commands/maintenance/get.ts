/** `sonde maintenance get`: one maintenance window (endpoint 7). */
import { getMaintenanceWindow } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { toCalendar } from '../shared/ical.ts';
import { itemColumns } from '../shared/maintenance.ts';

export const command = defineCommand({
  name: 'maintenance get',
  summary: 'Show a maintenance window',
  endpoint: getMaintenanceWindow,
  formats: ['ical'],
  arguments: { id: argument('Id of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [
    { line: 'maintenance get 12', does: 'shows the window' },
    { line: 'maintenance get 12 --json --fields startsAt,endsAt', does: 'prints when it holds' },
  ],
  async run({ client, terminal, signal, clock }, { input, output }) {
    const { body: window } = await (await client()).call(getMaintenanceWindow, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: window,
      output,
      columns: itemColumns,
      formats: { ical: () => toCalendar([window], clock.now()) },
    });
  },
});

/** `sonde maintenance list`: maintenance windows (endpoint 6). */
import { listMaintenanceWindows } from '../../src/contract/index.ts';
import { defineCommand } from '../kernel/index.ts';
import { toCalendar } from '../shared/ical.ts';
import { printList } from '../shared/list.ts';
import { listColumns } from '../shared/maintenance.ts';

export const command = defineCommand({
  name: 'maintenance list',
  summary: 'List maintenance windows',
  endpoint: listMaintenanceWindows,
  formats: ['ical'],
  examples: [
    { line: 'maintenance list --ends-at gte=2026-11-21', does: 'lists windows that are not over by then' },
    { line: 'maintenance list --all -o ical > windows.ics', does: 'writes a calendar' },
    { line: 'maintenance list --all --json', does: 'prints every window as one array' },
  ],
  run: (deps, line) =>
    printList(deps, listMaintenanceWindows, line, {
      columns: listColumns,
      noun: 'maintenance windows',
      formats: { ical: (windows) => toCalendar(windows, deps.clock.now()) },
    }),
});

/** `sonde maintenance list`: lists maintenance windows (endpoint 6). */
import { UsageError } from '../../src/base/errors.ts';
import { defineCommand, flag } from '../../src/cli/framework/index.ts';
import { printList } from '../../src/cli/framework/print-list.ts';
import {
  createAgenda,
  listColumns,
  type MaintenanceWindow,
  windowStatus,
} from '../../src/cli/resources/maintenance-state.ts';
import { listMaintenanceWindows } from '../../src/contract/index.ts';
import { toCalendar } from './shared/ical.ts';

export const command = defineCommand({
  name: 'maintenance list',
  summary: 'List maintenance windows',
  description:
    'Lists one page, or all pages with --all. The table shows active windows first, then upcoming windows, then past windows; for a repeating window it shows the current or next occurrence. Other formats keep the order and the times of the API.',
  endpoint: listMaintenanceWindows,
  options: {
    active: flag('Only active windows, from all pages'),
    upcoming: flag('Only upcoming windows, from all pages; with --active: both'),
  },
  formats: ['ical'],
  examples: [
    { line: 'maintenance list --active --upcoming', does: 'List active and upcoming windows' },
    { line: 'maintenance list --active --jq length', does: 'Print the number of active windows' },
    { line: 'maintenance list --ends-at gte=2026-11-21', does: 'List windows that end on or after a date' },
    { line: 'maintenance list --all -o ical > windows.ics', does: 'Write all windows to a calendar file' },
    { line: 'maintenance list --all --json', does: 'Print all windows as one array' },
  ],
  run(deps, line) {
    const { active, upcoming } = line.options;
    const isFiltered = active || upcoming;
    if (isFiltered && line.input.query?.page !== undefined) {
      const place = active ? '--active' : '--upcoming';
      const message = 'reads all pages and cannot be combined with --page';
      throw new UsageError(`${place} ${message}`, { details: [{ place, message }] });
    }
    const now = deps.clock.now();
    const states = [...(active ? ['active'] : []), ...(upcoming ? ['upcoming'] : [])];
    const agenda = createAgenda(now);
    return printList(
      deps,
      listMaintenanceWindows,
      { ...line, all: line.all || isFiltered },
      {
        columns: listColumns(now),
        table: agenda,
        noun: 'maintenance windows',
        statusOf: (window) => windowStatus(window, now).state,
        formats: { ical: (windows) => toCalendar(windows, now) },
        ...(isFiltered
          ? {
              filter: (window: MaintenanceWindow) => states.includes(windowStatus(window, now).state),
              emptyMessage: `No maintenance window is ${states.join(' or ')}.`,
            }
          : {}),
      },
    );
  },
});

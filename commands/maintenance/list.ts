/** `sonde maintenance list`: maintenance windows (endpoint 6). */
import { UsageError } from '../../src/base/errors.ts';
import { listMaintenanceWindows } from '../../src/contract/index.ts';
import { defineCommand, flag } from '../kernel/index.ts';
import { printList } from '../shared/list.ts';
import { toCalendar } from '../shared/maintenance/ical.ts';
import { agendaAt, listColumns, type MaintenanceWindow, standingOf } from '../shared/maintenance/standing.ts';

export const command = defineCommand({
  name: 'maintenance list',
  summary: 'List maintenance windows',
  description:
    'Lists one page as the API has it, or all with --all. A table is sorted: what is active now, then what comes next, last what is over; of a window that repeats it shows the time that is on or comes next. Programs get the order and the times of the API.',
  endpoint: listMaintenanceWindows,
  options: {
    active: flag('Only windows that are active now, of all pages'),
    upcoming: flag('Only windows that will be active, of all pages; with --active both'),
  },
  formats: ['ical'],
  examples: [
    { line: 'maintenance list --active --upcoming', does: 'lists what is on and what is to come' },
    { line: 'maintenance list --active --jq length', does: 'prints how many are active now' },
    { line: 'maintenance list --ends-at gte=2026-11-21', does: 'lists windows that are not over by then' },
    { line: 'maintenance list --all -o ical > windows.ics', does: 'writes a calendar' },
    { line: 'maintenance list --all --json', does: 'prints every window as one array' },
  ],
  run(deps, line) {
    const { active, upcoming } = line.options;
    const isFiltered = active || upcoming;
    if (isFiltered && line.input.query?.page !== undefined) {
      const place = active ? '--active' : '--upcoming';
      const message = `looks at all pages and cannot go with --page`;
      throw new UsageError(`${place} ${message}`, { details: [{ place, message }] });
    }
    const now = deps.clock.now();
    const wanted = [...(active ? ['active'] : []), ...(upcoming ? ['upcoming'] : [])];
    const agenda = agendaAt(now);
    return printList(
      deps,
      listMaintenanceWindows,
      { ...line, all: line.all || isFiltered },
      {
        columns: listColumns(now),
        table: agenda,
        noun: 'maintenance windows',
        word: (window) => standingOf(window, now).state,
        formats: { ical: (windows) => toCalendar(windows, now) },
        ...(isFiltered
          ? {
              only: (window: MaintenanceWindow) => wanted.includes(standingOf(window, now).state),
              none: `No maintenance window is ${wanted.join(' or ')}.`,
            }
          : {}),
      },
    );
  },
});

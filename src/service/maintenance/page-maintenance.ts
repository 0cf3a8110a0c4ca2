/** What status pages show of maintenance windows: what is under way, what comes next, which services it is about. Pure. */
import type { MaintenanceWindowBody, MaintenanceWindowWithState } from '../store/index.ts';
import { comingPeriod, type Period } from './periods.ts';
import type { Windows } from './windows.ts';

/** A status page, as far as windows care: its id and the services it carries. */
export interface Page {
  readonly id: string;
  readonly serviceIds: readonly string[];
}

/** A window as a page shows it; instants in ms since the epoch. */
export interface ShownWindow extends Period {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly severity: string | null;
  /** Services of the page that it affects; none: it is shown and affects nothing. */
  readonly serviceIds: readonly string[];
}

export interface PageMaintenance {
  /** Open now, the one that began first before the others. */
  readonly underWay: readonly ShownWindow[];
  /** The next period of each window that is not open, the soonest first. */
  readonly next: readonly ShownWindow[];
  /** Services of the page that are under maintenance now. */
  readonly services: ReadonlySet<string>;
}

/**
 * The services of a page that a window affects; undefined where the page does not show it. A window that names no pages is shown
 * by those that carry a service it affects, and by all where it names no services, either.
 */
export function affectedOn(
  { statusPageVisibility: shown }: MaintenanceWindowBody,
  page: Page,
): string[] | undefined {
  if (shown?.enabled !== true) return undefined;
  const { statusPageIds = [], serviceIds = [], affectAllServices = false } = shown;
  if (statusPageIds.length > 0 && !statusPageIds.includes(page.id)) return undefined;
  const affected = affectAllServices
    ? [...page.serviceIds]
    : page.serviceIds.filter((id) => serviceIds.includes(id));
  const isElsewhere = statusPageIds.length === 0 && serviceIds.length > 0 && affected.length === 0;
  return isElsewhere ? undefined : affected;
}

/** What a page shows of an account's windows at an instant (ms since the epoch). */
export function maintenanceOn(windows: Windows, page: Page, instant: number): PageMaintenance {
  const { open } = windows.at(instant);
  const underWay = open
    .flatMap(({ window, period }) => shownOn(page, window, period))
    .sort((one, other) => one.startsAt - other.startsAt);
  const isOpen = new Set(open.map(({ window }) => window.id));
  const next = windows.all
    .filter(({ id }) => !isOpen.has(id))
    .flatMap((window) => shownOn(page, window, comingPeriod(window, instant)))
    .sort((one, other) => one.startsAt - other.startsAt);
  return { underWay, next, services: new Set(underWay.flatMap(({ serviceIds }) => serviceIds)) };
}

function shownOn(
  page: Page,
  { id, body }: MaintenanceWindowWithState,
  period: Period | undefined,
): ShownWindow[] {
  const serviceIds = affectedOn(body, page);
  if (serviceIds === undefined || period === undefined) return [];
  const { name, description = null, statusPageVisibility: shown } = body;
  const { startsAt, endsAt } = period;
  return [{ id, name, description, severity: shown?.severity ?? null, startsAt, endsAt, serviceIds }];
}

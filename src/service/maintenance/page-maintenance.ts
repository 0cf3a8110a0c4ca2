/** Selects the maintenance that a status page shows: open windows, next windows, affected services. Pure. */
import type { MaintenanceWindowBody, MaintenanceWindowWithState } from '../store/index.ts';
import { nextPeriod, type Period } from './periods.ts';
import type { Windows } from './windows.ts';

/** ID and services of a status page. */
export interface Page {
  readonly id: string;
  readonly serviceIds: readonly string[];
}

/** A window on a status page; instants in ms since the epoch. */
export interface PageWindow extends Period {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly severity: string | null;
  /** Affected services of the page; may be empty. */
  readonly serviceIds: readonly string[];
}

export interface PageMaintenance {
  /** Open windows, earliest start first. */
  readonly underWay: readonly PageWindow[];
  /** The next period of each window that is not open, earliest first. */
  readonly next: readonly PageWindow[];
  /** Services of the page under maintenance now. */
  readonly services: ReadonlySet<string>;
}

/**
 * Returns the services of a page that a window affects; undefined if the page does not show the window. A window
 * without pages appears on pages with an affected service; if it names no services either, on all pages.
 */
export function findAffectedServices(
  { statusPageVisibility: shown }: MaintenanceWindowBody,
  page: Page,
): string[] | undefined {
  if (shown?.enabled !== true) return undefined;
  const { statusPageIds = [], serviceIds = [], affectAllServices = false } = shown;
  if (statusPageIds.length > 0 && !statusPageIds.includes(page.id)) return undefined;
  const affected = affectAllServices
    ? [...page.serviceIds]
    : page.serviceIds.filter((id) => serviceIds.includes(id));
  const isOtherPage = statusPageIds.length === 0 && serviceIds.length > 0 && affected.length === 0;
  return isOtherPage ? undefined : affected;
}

/** Returns the maintenance that a page shows at an instant (ms since the epoch). */
export function getPageMaintenance(windows: Windows, page: Page, instant: number): PageMaintenance {
  const { open } = windows.at(instant);
  const underWay = open
    .flatMap(({ window, period }) => toPageWindows(page, window, period))
    .sort((one, other) => one.startsAt - other.startsAt);
  const openIds = new Set(open.map(({ window }) => window.id));
  const next = windows.all
    .filter(({ id }) => !openIds.has(id))
    .flatMap((window) => toPageWindows(page, window, nextPeriod(window, instant)))
    .sort((one, other) => one.startsAt - other.startsAt);
  return { underWay, next, services: new Set(underWay.flatMap(({ serviceIds }) => serviceIds)) };
}

function toPageWindows(
  page: Page,
  { id, body }: MaintenanceWindowWithState,
  period: Period | undefined,
): PageWindow[] {
  const serviceIds = findAffectedServices(body, page);
  if (serviceIds === undefined || period === undefined) return [];
  const { name, description = null, statusPageVisibility: shown } = body;
  const { startsAt, endsAt } = period;
  return [{ id, name, description, severity: shown?.severity ?? null, startsAt, endsAt, serviceIds }];
}

/** Determines how maintenance affects a check, its alerts and incidents, and what status pages show of it. */
import { occurrencesAround } from '../../calendar/occurrences.ts';
import type {
  MaintenanceEffects,
  MaintenanceWindowBody,
  MaintenanceWindowWithState,
  StoreTransaction,
} from '../store/index.ts';
import { nextPeriod, type Period, timesOf } from './periods.ts';
import {
  type CoverageTarget,
  computeCoverage,
  loadWindows,
  type Windows,
  type WindowsReader,
} from './windows.ts';

/** Returns whether maintenance pauses the schedule of a check at an instant (ms since the epoch). Manual runs still run. */
export function isPaused(windows: Windows, target: CoverageTarget, instant: number): boolean {
  return windows.at(instant).coverage.pauses(target);
}

/**
 * Returns whether a window that silences or pauses the check was open at any time from `since` to `instant` (ms since
 * the epoch). Pass the start of a run as `since`: a run that overlaps a window never alerts.
 */
export async function isSilenced(
  data: WindowsReader,
  accountId: string,
  target: CoverageTarget,
  instant: number,
  since = instant,
): Promise<boolean> {
  const windows = await loadWindows(data, accountId);
  for (let from = Math.min(since, instant); from <= instant; from = windows.at(from).until)
    if (windows.at(from).historicalCoverage.silences(target)) return true;
  return false;
}

/** Interval in which a check was paused, in ms since the epoch; the end is exclusive. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/** Returns the pauses of a check between two instants (ms since the epoch), in order and clipped to them. */
export function findPauses(windows: Windows, target: CoverageTarget, from: number, to: number): Pause[] {
  const pauses: Pause[] = [];
  for (let instant = from; instant < to; ) {
    const { historicalCoverage, until } = windows.at(instant);
    const end = Math.min(until, to);
    const last = pauses.at(-1);
    if (historicalCoverage.pauses(target)) {
      if (last?.to === instant) pauses[pauses.length - 1] = { from: last.from, to: end };
      else pauses.push({ from: instant, to: end });
    }
    instant = end;
  }
  return pauses;
}

/**
 * Returns whether a window with `suppressAutoIncidents` was open at any time from `since` (the start of the failed run)
 * to `instant`, in ms since the epoch. The window must pause the check, name the service, or name no service; then
 * its pages, if it names any, must carry the service.
 */
export async function suppressesIncidents(
  tx: WindowsReader & Pick<StoreTransaction, 'statusPages'>,
  accountId: string,
  { serviceId, ...target }: CoverageTarget & { readonly serviceId: string },
  instant: number,
  since = instant,
): Promise<boolean> {
  const windows = await loadWindows(tx, accountId);
  const suppressing: MaintenanceEffects[] = [];
  for (let from = Math.min(since, instant); from <= instant; from = windows.at(from).until)
    suppressing.push(...windows.at(from).suppressing);
  if (suppressing.length === 0) return false;
  if (computeCoverage(suppressing).pauses(target)) return true;
  const pageIds = new Set<string>();
  for (const { statusPageVisibility: shown } of suppressing) {
    const { serviceIds = [], statusPageIds = [] } = shown ?? {};
    if (serviceIds.includes(serviceId)) return true;
    if (serviceIds.length > 0) continue;
    if (statusPageIds.length === 0) return true;
    for (const id of statusPageIds) pageIds.add(id);
  }
  const pages = await tx.statusPages.byIds(accountId, [...pageIds]);
  return pages.some(({ body }) =>
    body.cards.some(({ services }) => services.some(({ id }) => id === serviceId)),
  );
}

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
  /** When the window was changed, or its previous repetition ended, whichever was last. */
  readonly changedAt: number;
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
    .flatMap(({ window, period }) => toPageWindows(page, window, period, instant))
    .sort((one, other) => one.startsAt - other.startsAt);
  const openIds = new Set(open.map(({ window }) => window.id));
  const next = windows.all
    .filter(({ id }) => !openIds.has(id))
    .flatMap((window) => toPageWindows(page, window, nextPeriod(window, instant), instant))
    .sort((one, other) => one.startsAt - other.startsAt);
  return { underWay, next, services: new Set(underWay.flatMap(({ serviceIds }) => serviceIds)) };
}

function toPageWindows(
  page: Page,
  window: MaintenanceWindowWithState,
  period: Period | undefined,
  instant: number,
): PageWindow[] {
  const { id, body, createdAt, updatedAt } = window;
  const serviceIds = findAffectedServices(body, page);
  if (serviceIds === undefined || period === undefined) return [];
  const { name, description = null, statusPageVisibility: shown } = body;
  const { startsAt, endsAt } = period;
  const previous = occurrencesAround(timesOf(window), startsAt - 1).last?.endsAt ?? createdAt;
  const changedAt = Math.max(updatedAt ?? createdAt, previous <= instant ? previous : createdAt);
  return [
    {
      id,
      name,
      description,
      severity: shown?.severity ?? null,
      startsAt,
      endsAt,
      serviceIds,
      changedAt,
    },
  ];
}

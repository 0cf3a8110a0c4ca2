/** Determines how maintenance affects a check, its alerts and its incidents, within a transaction. */
import type { MaintenanceEffects, StoreTransaction } from '../store/index.ts';
import { type CoverageTarget, computeCoverage } from './coverage.ts';
import { loadWindows, type Windows, type WindowsReader } from './windows.ts';

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
  return isSilencedBetween(windows, target, Math.min(since, instant), instant);
}

function isSilencedBetween(windows: Windows, target: CoverageTarget, from: number, to: number): boolean {
  for (let instant = from; instant <= to; instant = windows.at(instant).until) {
    if (windows.at(instant).historicalCoverage.silences(target)) return true;
  }
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

/** A failing check and the service of its incident. */
export interface IncidentTarget extends CoverageTarget {
  readonly serviceId: string;
}

/**
 * Returns whether a window with `suppressAutoIncidents` was open at any time from `since` (the start of the failed run)
 * to `instant`, in ms since the epoch. The window must pause the check, name the service, or name no service; then
 * its pages, if it names any, must carry the service.
 */
export async function suppressesIncidents(
  tx: WindowsReader & Pick<StoreTransaction, 'statusPages'>,
  accountId: string,
  { serviceId, ...target }: IncidentTarget,
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

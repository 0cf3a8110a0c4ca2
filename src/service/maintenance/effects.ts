/** What maintenance does to a check, its alerts and its incidents at an instant, asked within a transaction. */
import type { MaintenanceEffects, StoreTransaction } from '../store/index.ts';
import { type Covered, coverageOf } from './coverage.ts';
import { type Windows, type WindowsReader, windowsOf } from './windows.ts';

/** Whether the schedule leaves a check alone at an instant (ms since the epoch). What is started by hand runs all the same. */
export function isPaused(windows: Windows, covered: Covered, instant: number): boolean {
  return windows.at(instant).coverage.pauses(covered);
}

/**
 * Whether a check raises no alert: a window that silences or pauses it is open at an instant (ms since the epoch), or was at any
 * time since another. A run that began or ended within a window alerts of nothing, so that none is late: give its start.
 */
export async function isSilenced(
  data: WindowsReader,
  accountId: string,
  covered: Covered,
  instant: number,
  since = instant,
): Promise<boolean> {
  const windows = await windowsOf(data, accountId);
  return isSilencedBetween(windows, covered, Math.min(since, instant), instant);
}

function isSilencedBetween(windows: Windows, covered: Covered, from: number, to: number): boolean {
  for (let instant = from; instant <= to; instant = windows.at(instant).until) {
    if (windows.at(instant).coverageThen.silences(covered)) return true;
  }
  return false;
}

/** A time in which a check was paused, from its start up to its end, in ms since the epoch. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/** When the schedule left a check alone between two instants (ms since the epoch), in order; what lasts ends with the second. */
export function pausesBetween(windows: Windows, covered: Covered, from: number, to: number): Pause[] {
  const pauses: Pause[] = [];
  for (let instant = from; instant < to; ) {
    const { coverageThen, until } = windows.at(instant);
    const end = Math.min(until, to);
    const last = pauses.at(-1);
    if (coverageThen.pauses(covered)) {
      if (last?.to === instant) pauses[pauses.length - 1] = { from: last.from, to: end };
      else pauses.push({ from: instant, to: end });
    }
    instant = end;
  }
  return pauses;
}

/** A failing check, and the service that its incident would be opened on. */
export interface IncidentOf extends Covered {
  readonly serviceId: string;
}

/**
 * Whether incidents of a service are held back: by a window with `suppressAutoIncidents` that names the service, that names none
 * (of the pages it names, or at all), or that pauses the check. It is open at an instant (ms since the epoch), or was at any time
 * since another: give the start of the run that failed.
 */
export async function suppressesIncidents(
  tx: WindowsReader & Pick<StoreTransaction, 'statusPages'>,
  accountId: string,
  { serviceId, ...covered }: IncidentOf,
  instant: number,
  since = instant,
): Promise<boolean> {
  const windows = await windowsOf(tx, accountId);
  const holding: MaintenanceEffects[] = [];
  for (let from = Math.min(since, instant); from <= instant; from = windows.at(from).until)
    holding.push(...windows.at(from).suppressing);
  if (holding.length === 0) return false;
  if (coverageOf(holding).pauses(covered)) return true;
  const pageIds = new Set<string>();
  for (const { statusPageVisibility: shown } of holding) {
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

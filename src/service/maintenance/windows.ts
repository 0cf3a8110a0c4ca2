/** The maintenance windows of an account, read once a version, and which of them are open at an instant. */

import type { MaintenanceEffects, MaintenanceWindowWithState, PastMaintenance } from '../store/index.ts';
import type { MaintenanceWindows } from '../store/maintenance-windows.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { changesAfter, type Period, periodAt } from './periods.ts';

/** A window that is open. */
export interface OpenWindow {
  readonly window: MaintenanceWindowWithState;
  readonly period: Period;
}

/** What holds from one change to the next. */
export interface Standing {
  /** As status pages show it. */
  readonly open: readonly OpenWindow[];
  /** What those that are open by plan do to checks. */
  readonly coverage: Coverage;
  /** The same, and what those did that were open then, and were ended by hand, changed or deleted since. */
  readonly coverageThen: Coverage;
  /** What those do that hold back incidents, among them those that were open then. */
  readonly suppressing: readonly MaintenanceEffects[];
  /** Up to this instant, in ms since the epoch; infinity: for ever. */
  readonly until: number;
}

export interface Windows {
  readonly all: readonly MaintenanceWindowWithState[];
  /** How things stand at an instant (ms since the epoch); worked out once between two changes. */
  at(instant: number): Standing;
}

/** Where windows are read: the store, or a transaction. */
export interface WindowsReader {
  readonly maintenanceWindows: Pick<MaintenanceWindows, 'version' | 'listWithState' | 'past'>;
}

/** So many accounts are remembered. */
const REMEMBERED = 1000;
/**
 * By account, each as it was read last: a version is one state of one account's windows in one store, wherever it is read.
 * Older ones are of no use to anybody, and all windows are in each.
 */
const remembered = new Map<string, { readonly version: string; readonly windows: Windows }>();
const NONE = windowsFrom([], []);

/** The windows of an account as the transaction sees them: one read of a row where nothing has changed since the last. */
export async function windowsOf(data: WindowsReader, accountId: string): Promise<Windows> {
  const version = await data.maintenanceWindows.version(accountId);
  if (version === undefined) return NONE;
  const known = remembered.get(accountId);
  if (known?.version === version) return known.windows;
  const read = windowsFrom(
    await data.maintenanceWindows.listWithState(accountId),
    await data.maintenanceWindows.past(accountId),
  );
  // The version is read again: what was read may be newer, where each statement sees what is committed.
  if ((await data.maintenanceWindows.version(accountId)) !== version) return read;
  remembered.delete(accountId);
  const [oldest] = remembered.keys();
  if (oldest !== undefined && remembered.size >= REMEMBERED) remembered.delete(oldest);
  remembered.set(accountId, { version, windows: read });
  return read;
}

/** Windows as they were read, and when others were open. */
export function windowsFrom(
  all: readonly MaintenanceWindowWithState[],
  past: readonly PastMaintenance[],
): Windows {
  let last: { readonly from: number; readonly standing: Standing } | undefined;
  return {
    all,
    at(instant) {
      if (last === undefined || instant < last.from || instant >= last.standing.until) {
        last = { from: instant, standing: standingAt(all, past, instant) };
      }
      return last.standing;
    },
  };
}

function standingAt(
  all: readonly MaintenanceWindowWithState[],
  past: readonly PastMaintenance[],
  instant: number,
): Standing {
  const open = all.flatMap((window) => {
    const period = periodAt(window, instant);
    return period === undefined ? [] : [{ window, period }];
  });
  const planned = open.filter(({ period }) => instant < period.endsAt).map(({ window }) => window.body);
  const then = past
    .filter(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
    .map(({ effects }) => effects);
  const changes = [
    ...all.map((window) => changesAfter(window, instant)),
    ...past.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]).filter((change) => change > instant),
  ];
  return {
    open,
    coverage: coverageOf(planned),
    coverageThen: coverageOf([...planned, ...then]),
    suppressing: [...open.map(({ window }) => window.body), ...then].filter(
      ({ statusPageVisibility: shown }) => shown?.enabled && shown.suppressAutoIncidents,
    ),
    until: Math.min(...changes, Number.POSITIVE_INFINITY),
  };
}

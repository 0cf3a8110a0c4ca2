/** Loads the maintenance windows of an account, once per version, and computes which checks they affect at an instant. */

import type { CheckGroupRecord } from '../store/documents.ts';
import type {
  CheckRecord,
  MaintenanceEffects,
  MaintenanceWindowWithState,
  PastMaintenance,
} from '../store/index.ts';
import type { MaintenanceWindows } from '../store/maintenance-windows.ts';
import { nextChangeAfter, type Period, periodAt } from './periods.ts';

export interface OpenWindow {
  readonly window: MaintenanceWindowWithState;
  readonly period: Period;
}

/** State of an account's windows between two changes. */
export interface WindowsStatus {
  /** Windows that status pages show as open. */
  readonly open: readonly OpenWindow[];
  /** Effect of the windows that are open by schedule. */
  readonly coverage: Coverage;
  /** The same, including windows that were open then but have since been ended by hand, changed or deleted. */
  readonly historicalCoverage: Coverage;
  /** Effects of windows that suppress incidents, including those that were open then. */
  readonly suppressing: readonly MaintenanceEffects[];
  /** When this state ends, in ms since the epoch; infinity: never. */
  readonly until: number;
}

export interface Windows {
  readonly all: readonly MaintenanceWindowWithState[];
  /** Returns the state at an instant (ms since the epoch); cached between two changes. */
  at(instant: number): WindowsStatus;
}

/** Source of windows: the store or a transaction. */
export interface WindowsReader {
  readonly maintenanceWindows: Pick<MaintenanceWindows, 'version' | 'listWithState' | 'past'>;
}

const CACHED_ACCOUNTS = 1000;
/**
 * The last version read of each account. A version identifies one state of one account's windows in one store and
 * contains all windows, so older ones are useless.
 */
const cache = new Map<string, { readonly version: string; readonly windows: Windows }>();
const NONE = createWindows([], []);

/** Loads the windows of an account as the transaction sees them. Reads one row if nothing changed. */
export async function loadWindows(data: WindowsReader, accountId: string): Promise<Windows> {
  const version = await data.maintenanceWindows.version(accountId);
  if (version === undefined) return NONE;
  const cached = cache.get(accountId);
  if (cached?.version === version) return cached.windows;
  const read = createWindows(
    await data.maintenanceWindows.listWithState(accountId),
    await data.maintenanceWindows.past(accountId),
  );
  // Read the version again: without a snapshot, a concurrent commit may have made the rows newer than the version.
  if ((await data.maintenanceWindows.version(accountId)) !== version) return read;
  cache.delete(accountId);
  const [oldest] = cache.keys();
  if (oldest !== undefined && cache.size >= CACHED_ACCOUNTS) cache.delete(oldest);
  cache.set(accountId, { version, windows: read });
  return read;
}

/** Creates windows from stored windows and past openings. */
export function createWindows(
  all: readonly MaintenanceWindowWithState[],
  past: readonly PastMaintenance[],
): Windows {
  let last: { readonly from: number; readonly status: WindowsStatus } | undefined;
  return {
    all,
    at(instant) {
      if (last === undefined || instant < last.from || instant >= last.status.until) {
        last = { from: instant, status: computeStatus(all, past, instant) };
      }
      return last.status;
    },
  };
}

function computeStatus(
  all: readonly MaintenanceWindowWithState[],
  past: readonly PastMaintenance[],
  instant: number,
): WindowsStatus {
  const open = all.flatMap((window) => {
    const period = periodAt(window, instant);
    return period === undefined ? [] : [{ window, period }];
  });
  const planned = open.filter(({ period }) => instant < period.endsAt).map(({ window }) => window.body);
  const pastEffects = past
    .filter(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
    .map(({ effects }) => effects);
  const changes = [
    ...all.map((window) => nextChangeAfter(window, instant)),
    ...past.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]).filter((change) => change > instant),
  ];
  return {
    open,
    coverage: computeCoverage(planned),
    historicalCoverage: computeCoverage([...planned, ...pastEffects]),
    suppressing: [...open.map(({ window }) => window.body), ...pastEffects].filter(
      ({ statusPageVisibility: shown }) => shown?.enabled && shown.suppressAutoIncidents,
    ),
    until: Math.min(...changes, Number.POSITIVE_INFINITY),
  };
}

/** Names and tags of a check and its group, which windows are matched with. */
export interface CoverageTarget {
  readonly check: Pick<CheckRecord, 'name'> & { readonly body: { readonly tags?: readonly string[] } };
  readonly group?: Pick<CheckGroupRecord, 'body'> | undefined;
}

/** Checks that an effect applies to: all, or those with one of the labels. */
interface Scope {
  readonly all: boolean;
  readonly labels: ReadonlySet<string>;
}

/** Combined effect of windows on checks and their alerts. */
export interface Coverage {
  pauses(target: CoverageTarget): boolean;
  silences(target: CoverageTarget): boolean;
}

function isWithin({ all, labels }: Scope, { check, group }: CoverageTarget): boolean {
  if (all) return true;
  if (labels.size === 0) return false;
  const has = (label: string) => labels.has(label);
  return (
    has(check.name) ||
    (check.body.tags ?? []).some(has) ||
    (group !== undefined && (has(group.body.name) || (group.body.tags ?? []).some(has)))
  );
}

/**
 * Combines open windows. `pauseAllChecks` pauses every check; `tags` pauses checks with such a name or tag, on the check
 * or its group. A window with neither pauses nothing. `silenceAllAlerts` and `silenceAlertsTags` do the same for
 * alerts. A paused check never alerts: a run started by hand is silent (docs/gaps.md).
 */
export function computeCoverage(bodies: readonly MaintenanceEffects[]): Coverage {
  const paused: Scope = {
    all: bodies.some(({ pauseAllChecks }) => pauseAllChecks === true),
    labels: new Set(bodies.flatMap(({ tags }) => tags ?? [])),
  };
  const silenced: Scope = {
    all: paused.all || bodies.some(({ silenceAllAlerts }) => silenceAllAlerts === true),
    labels: new Set([
      ...paused.labels,
      ...bodies.flatMap(({ silenceAlertsTags }) => silenceAlertsTags ?? []),
    ]),
  };
  return {
    pauses: (target) => isWithin(paused, target),
    silences: (target) => isWithin(silenced, target),
  };
}

/** The settings a check runs with: its own, and those of its group that override them. Pure. */
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { CheckGroupRecord } from '../../store/check-groups.ts';
import type { CheckGroupBody, CheckRecord } from '../../store/index.ts';
import { type ScriptSource, sourcesOf } from './api-checks.ts';
import { DOUBLE_CHECK, type RetryPlan, type RetryStrategyWritten, retryPlanOf } from './retries.ts';

/** A variable that scripts see. */
export interface Variable {
  readonly key: string;
  readonly value: string;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** What a check's group leaves of its settings. */
export interface Settings {
  readonly activated: boolean;
  readonly muted: boolean;
  /** Public and private locations, in this order; empty: none is named. */
  readonly locations: readonly string[];
  readonly runParallel: boolean;
  /** Null: no retries. */
  readonly retry: RetryPlan | null;
  readonly environmentVariables: readonly Variable[];
  /** The runtime that scripts run on; null: the built-in one. */
  readonly runtimeId: string | null;
  /** `browserCheckDefaults` of the group: where its browser checks begin; null: nowhere. */
  readonly baseUrl: string | null;
  /** `apiCheckDefaults` of the group, for its API checks. */
  readonly apiDefaults: CheckGroupBody['apiCheckDefaults'];
  /** Scripts that an API check runs before and after its request, its group's too, in this order. */
  readonly setup: readonly ScriptSource[];
  readonly tearDown: readonly ScriptSource[];
  /** Labels that targets and windows match: the check's and its group's. */
  readonly tags: readonly string[];
}

const PUBLIC = new Set<string>(LOCATIONS);

export function isPublicLocation(location: string): boolean {
  return PUBLIC.has(location);
}

/** Which workers may claim a run in a location. */
export const PUBLIC_POOL = 'public';
export function poolOf(location: string): string {
  return isPublicLocation(location) ? PUBLIC_POOL : `private/${location}`;
}

/** Whether a check is run at all: a heartbeat is pinged by what it watches. */
export const isRun = ({ type }: Pick<CheckRecord, 'type'>): boolean => type !== 'HEARTBEAT';

/** The settings of a check within its group: the group's override, but for a FALLBACK strategy; variables are merged. */
export function settingsOf(check: CheckRecord, group: CheckGroupRecord | undefined): Settings {
  const own = check.body;
  const over = group?.body;
  return {
    activated: check.activated && over?.activated !== false,
    muted: check.muted || over?.muted === true,
    locations: locationsOf(own, over),
    runParallel: over?.runParallel ?? own.runParallel ?? false,
    retry: isRetried(check) ? retryOf(own, over) : null,
    environmentVariables: merged(over?.environmentVariables, own.environmentVariables),
    runtimeId: over?.runtimeId ?? own.runtimeId ?? null,
    baseUrl: over?.browserCheckDefaults || null,
    apiDefaults: over?.apiCheckDefaults,
    setup: check.type === 'API' ? sourcesOf('setup', check.body, over) : [],
    tearDown: check.type === 'API' ? sourcesOf('tearDown', check.body, over) : [],
    tags: [...new Set([...(own.tags ?? []), ...(over?.tags ?? [])])],
  };
}

/** Variables of several sources; the later source wins. */
export function merged(...sources: readonly (readonly Variable[] | null | undefined)[]): Variable[] {
  const byKey = new Map<string, Variable>();
  for (const variable of sources.flatMap((source) => source ?? [])) byKey.set(variable.key, variable);
  return [...byKey.values()];
}

/** Whether checks of its type have a retry strategy: Playwright retries the tests of a suite. */
export const isRetried = ({ type }: CheckRecord): boolean => type !== 'PLAYWRIGHT' && type !== 'HEARTBEAT';

/** Whether checks of the type see variables: in a script, or in what they request. */
export const seesVariables = ({ type }: Pick<CheckRecord, 'type'>): boolean =>
  ['AGENTIC', 'API', 'BROWSER', 'MULTI_STEP', 'PLAYWRIGHT'].includes(type);

interface Placed {
  readonly locations?: readonly string[] | null;
  readonly privateLocations?: readonly string[] | null;
}

/** Public and private locations of a check: those of its group, where that names any. */
export function locationsOf(own: Placed, over: Placed | undefined): readonly string[] {
  const grouped = placesOf(over);
  return grouped.length > 0 ? grouped : placesOf(own);
}

function placesOf(body: Placed | undefined): string[] {
  return [...new Set([...(body?.locations ?? []), ...(body?.privateLocations ?? [])])];
}

interface Retrying {
  readonly retryStrategy?: RetryStrategyWritten | 'FALLBACK' | null;
  readonly doubleCheck?: boolean;
}

/**
 * A group's strategy goes before the check's unless it is FALLBACK or left out. The deprecated double check counts only where no
 * strategy is named: the group's, whether on or off, before the check's, unless FALLBACK leaves it to the check.
 */
function retryOf(own: Retrying, over: Retrying | undefined): RetryPlan | null {
  for (const written of [over?.retryStrategy, own.retryStrategy]) {
    if (written === undefined || written === 'FALLBACK') continue;
    return written === null ? null : retryPlanOf(written);
  }
  const ofGroup = over?.retryStrategy === undefined ? over?.doubleCheck : undefined;
  return (ofGroup ?? own.doubleCheck ?? true) ? DOUBLE_CHECK : null;
}

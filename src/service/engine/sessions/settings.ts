/** Resolves the settings of checks from their own and their groups', and selects the checks that a request targets. */

import { hasRetries, isRunnable } from '../../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import type { CheckGroupRecord } from '../../store/documents.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { CheckGroupBody, CheckRecord, TypedCheckBody } from '../../store/index.ts';
import { type ScriptSource, scriptSources } from './api-checks.ts';
import { DOUBLE_CHECK, type RetryPlan, type RetryStrategy, toRetryPlan } from './retries.ts';
import type { Target } from './types.ts';

/** A variable for scripts. */
export interface Variable {
  readonly key: string;
  readonly value: string;
  readonly locked?: boolean;
  readonly secret?: boolean;
}

/** The effective settings of a check. */
export interface Settings {
  readonly activated: boolean;
  /** Public locations, then private ones; empty: the default location. */
  readonly locations: readonly string[];
  readonly runParallel: boolean;
  /** Null: no retries. */
  readonly retry: RetryPlan | null;
  readonly environmentVariables: readonly Variable[];
  /** The runtime of scripts; null: the built-in one. */
  readonly runtimeId: string | null;
  /** The group's `browserCheckDefaults`, the start page of its browser checks; null: none. */
  readonly baseUrl: string | null;
  /** The group's `apiCheckDefaults`. */
  readonly apiDefaults: CheckGroupBody['apiCheckDefaults'];
  /** Scripts of an API check and its group, before and after the request, in order. */
  readonly setup: readonly ScriptSource[];
  readonly tearDown: readonly ScriptSource[];
  /** Tags of the check and its group, which targets and windows match. */
  readonly tags: readonly string[];
}

const PUBLIC = new Set<string>(LOCATIONS);

export function isPublicLocation(location: string): boolean {
  return PUBLIC.has(location);
}

/** Returns the pool of a location: the workers that may claim its runs. */
export const PUBLIC_POOL = 'public';
export function poolOf(location: string): string {
  return isPublicLocation(location) ? PUBLIC_POOL : `private/${location}`;
}

/**
 * Resolves the settings of a check. Those of its group take precedence, except a FALLBACK strategy; variables are
 * merged.
 */
export function resolveSettings(
  check: TypedCheckBody & Pick<CheckRecord, 'activated'>,
  group: Pick<CheckGroupRecord, 'body'> | undefined,
): Settings {
  const own = check.body;
  const groupBody = group?.body;
  return {
    activated: check.activated && groupBody?.activated !== false,
    locations: resolveLocations(own, groupBody),
    runParallel: groupBody?.runParallel ?? own.runParallel ?? false,
    retry: hasRetries(check) ? resolveRetry(own, groupBody) : null,
    environmentVariables: mergeVariables(groupBody?.environmentVariables, own.environmentVariables),
    runtimeId: groupBody?.runtimeId ?? own.runtimeId ?? null,
    baseUrl: groupBody?.browserCheckDefaults || null,
    apiDefaults: groupBody?.apiCheckDefaults,
    setup: check.type === 'API' ? scriptSources('setup', check.body, groupBody) : [],
    tearDown: check.type === 'API' ? scriptSources('tearDown', check.body, groupBody) : [],
    tags: [...new Set([...(own.tags ?? []), ...(groupBody?.tags ?? [])])],
  };
}

/** Merges variables. Later sources take precedence. */
export function mergeVariables(...sources: readonly (readonly Variable[] | null | undefined)[]): Variable[] {
  const byKey = new Map<string, Variable>();
  for (const variable of sources.flatMap((source) => source ?? [])) byKey.set(variable.key, variable);
  return [...byKey.values()];
}

interface WithLocations {
  readonly locations?: readonly string[] | null;
  readonly privateLocations?: readonly string[] | null;
}

/** Returns the locations of the group if it has any, else those of the check. */
export function resolveLocations(own: WithLocations, group: WithLocations | undefined): readonly string[] {
  const ofGroup = listLocations(group);
  return ofGroup.length > 0 ? ofGroup : listLocations(own);
}

function listLocations(body: WithLocations | undefined): string[] {
  return [...new Set([...(body?.locations ?? []), ...(body?.privateLocations ?? [])])];
}

interface WithRetries {
  readonly retryStrategy?: RetryStrategy | 'FALLBACK' | null;
  readonly doubleCheck?: boolean;
}

/**
 * Resolves the retry strategy. The group's takes precedence unless it is FALLBACK or missing. The deprecated double
 * check applies only without a strategy: the group's before the check's, unless FALLBACK leaves it to the check.
 */
function resolveRetry(own: WithRetries, group: WithRetries | undefined): RetryPlan | null {
  for (const written of [group?.retryStrategy, own.retryStrategy]) {
    if (written === undefined || written === 'FALLBACK') continue;
    return written === null ? null : toRetryPlan(written);
  }
  const ofGroup = group?.retryStrategy === undefined ? group?.doubleCheck : undefined;
  return (ofGroup ?? own.doubleCheck ?? true) ? DOUBLE_CHECK : null;
}

/** A check with the settings that apply to it. */
export interface Subject {
  readonly check: CheckRecord;
  readonly settings: Settings;
  readonly group: CheckGroupRecord | undefined;
}

/** Returns checks with the settings of their groups applied. */
export async function subjectsOf(data: EngineData, checks: readonly CheckRecord[]): Promise<Subject[]> {
  const groups = new Map<number, CheckGroupRecord>();
  for (const accountId of new Set(checks.map((check) => check.accountId))) {
    const ids = checks.flatMap(({ groupId, accountId: owner }) =>
      groupId !== null && owner === accountId ? [groupId] : [],
    );
    for (const group of await data.groups.byIds(accountId, [...new Set(ids)])) groups.set(group.id, group);
  }
  return checks.map((check) => {
    const group = check.groupId === null ? undefined : groups.get(check.groupId);
    return { check, group, settings: resolveSettings(check, group) };
  });
}

/** Returns the runnable checks that match the target, oldest first. */
export async function selectSubjects(
  data: EngineData,
  accountId: string,
  target: Target | undefined,
): Promise<Subject[]> {
  const checks = await (target?.checkId !== undefined
    ? data.checks.byIds(accountId, target.checkId)
    : target?.matchTags !== undefined
      ? data.checks.tagged(accountId, target.matchTags)
      : data.checks.list(accountId));
  const oldestFirst = [...checks].sort((one, other) => one.createdAt - other.createdAt);
  const subjects = await subjectsOf(data, oldestFirst);
  return subjects.filter(
    ({ check, settings }) =>
      isRunnable(check) &&
      (settings.activated || target?.allowDeactivated === true) &&
      isTargeted(check.id, settings.tags, target),
  );
}

function isTargeted(id: string, tags: readonly string[], target: Target | undefined): boolean {
  if (target?.checkId !== undefined && !target.checkId.includes(id)) return false;
  return target?.matchTags === undefined || matchesTags(tags, target.matchTags);
}

/** Returns whether the tags match any group. A group matches with all its tags; `!tag` excludes a tag. */
function matchesTags(tags: readonly string[], groups: readonly (readonly string[])[]): boolean {
  return groups.some((group) =>
    group.every((tag) => (tag.startsWith('!') ? !tags.includes(tag.slice(1)) : tags.includes(tag))),
  );
}

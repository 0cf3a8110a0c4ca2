/** Selects the checks that a request targets, and resolves their settings. */

import { isRunnable } from '../../../contract/check-type-facts.ts';
import type { CheckGroupRecord } from '../../store/check-groups.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { Target } from './interface.ts';
import { resolveSettings, type Settings } from './settings.ts';

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
    for (const group of await data.checkGroups.byIds(accountId, [...new Set(ids)]))
      groups.set(group.id, group);
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

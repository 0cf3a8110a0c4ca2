/** Applies the settings of groups to the checks of a response, as runs and alerts use them. */
import { CHECK_TYPE_ENDPOINTS } from '../../../contract/generated/check-type-endpoints.js';
import { resolveSettings } from '../../engine/sessions/settings.ts';
import { isMuted } from '../../notify/alerts/alert-settings.ts';
import type { CheckGroupBody, CheckGroupRecord, CheckRecord, Store } from '../../store/index.ts';

const hasLocations = ({ locations, privateLocations }: CheckGroupBody): boolean =>
  (locations?.length ?? 0) + (privateLocations?.length ?? 0) > 0;

/** Returns the settings of a group that replace those of its checks. */
function overridesOf(group: CheckGroupBody): Readonly<Record<string, unknown>> {
  const { retryStrategy, runParallel, runtimeId, useGlobalAlertSettings, alertSettings } = group;
  return {
    ...(hasLocations(group)
      ? { locations: group.locations ?? [], privateLocations: group.privateLocations ?? [] }
      : {}),
    ...(typeof runParallel === 'boolean' ? { runParallel } : {}),
    ...(retryStrategy === undefined || retryStrategy === 'FALLBACK' ? {} : { retryStrategy }),
    ...(runtimeId ? { runtimeId } : {}),
    ...(useGlobalAlertSettings === null ? {} : { useGlobalAlertSettings: useGlobalAlertSettings ?? true }),
    ...(useGlobalAlertSettings === false ? { alertSettings: alertSettings ?? {} } : {}),
  };
}

/** Returns a check with the settings of its group. */
function withGroup(check: CheckRecord, group: CheckGroupRecord): CheckRecord {
  const { activated, tags, environmentVariables } = resolveSettings(check, group);
  const known = CHECK_TYPE_ENDPOINTS[check.type].create.body?.properties ?? {};
  const muted = isMuted({ check, group });
  const overrides = { activated, muted, tags, environmentVariables, ...overridesOf(group.body) };
  const applicable = Object.entries(overrides).filter(([name]) => Object.hasOwn(known, name));
  const body = { ...check.body, ...Object.fromEntries(applicable) };
  return { ...check, body, activated, muted } as CheckRecord;
}

/** Returns checks of an account with the settings of their groups. */
export async function withGroupSettings(
  { groups }: Pick<Store, 'groups'>,
  accountId: string,
  checks: readonly CheckRecord[],
): Promise<readonly CheckRecord[]> {
  const ids = [...new Set(checks.flatMap(({ groupId }) => groupId ?? []))];
  const byId = new Map((await groups.byIds(accountId, ids)).map((group) => [group.id, group]));
  return checks.map((check) => {
    const group = check.groupId === null ? undefined : byId.get(check.groupId);
    return group === undefined ? check : withGroup(check, group);
  });
}

/** Handles the checks in a group: shows them with the settings of the group applied. */
import { hasRetries } from '../../../contract/check-type-facts.ts';
import {
  createCheckGroup,
  type getGroupCheck,
  type listGroupChecks,
  type ResponseOf,
} from '../../../contract/index.ts';
import { resolveLocations, resolveSettings } from '../../engine/sessions/settings.ts';
import { isMuted } from '../../notify/alerts/alert-settings.ts';
import type { CheckGroupRecord, CheckRecord, Subscription } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { createCheckPresenter } from './check-presenter.ts';
import { presentSubscriptions } from './check-subscriptions.ts';
import { sendContentRange } from './document-resource.ts';
import type { Call, HandlerContext, Handlers } from './handler.ts';
import { notFound, requireFound } from './problem.ts';
import { requireCheck, requireGroup } from './references.ts';
import { maskSecrets } from './secrets.ts';

type CheckResponse = ResponseOf<typeof getGroupCheck>;

/** Returns the alert settings of the group, unless it leaves them to each check. */
function alertSettingsOf({ body }: CheckGroupRecord): Partial<CheckResponse> {
  const { useGlobalAlertSettings, alertSettings } = body;
  if (useGlobalAlertSettings === null) return {};
  return {
    useGlobalAlertSettings: useGlobalAlertSettings ?? true,
    ...(alertSettings ? { alertSettings } : {}),
  };
}

/** Returns the response for a check as it runs: settings of its group override its own, as in the engine. */
function applyGroupSettings(
  shown: CheckResponse,
  check: CheckRecord,
  group: CheckGroupRecord,
  subscriptions: readonly Subscription[],
): CheckResponse {
  const { activated, runParallel, runtimeId, tags, environmentVariables } = resolveSettings(check, group);
  const { retryStrategy, locations = [], privateLocations = null } = group.body;
  const hasLocations = resolveLocations(group.body, undefined).length > 0;
  const hasStrategy = hasRetries(check) && retryStrategy !== undefined && retryStrategy !== 'FALLBACK';
  const ofSomeTypes = {
    runParallel,
    runtimeId,
    ...maskSecrets(createCheckGroup.body, { environmentVariables }),
    ...(hasLocations ? { locations, privateLocations } : {}),
  };
  return {
    ...shown,
    ...Object.fromEntries(Object.entries(ofSomeTypes).filter(([name]) => Object.hasOwn(shown, name))),
    ...alertSettingsOf(group),
    ...(hasStrategy ? { retryStrategy } : {}),
    ...(subscriptions.length > 0 ? { alertChannelSubscriptions: presentSubscriptions(subscriptions) } : {}),
    activated,
    muted: isMuted({ check, group }),
    tags: [...tags],
  };
}

type ListCall = Pick<Call<typeof listGroupChecks>, 'accountId' | 'params' | 'query' | 'header'>;
type GetCall = Pick<Call<typeof getGroupCheck>, 'accountId' | 'params'>;

export function groupCheckHandlers(context: HandlerContext) {
  const { store } = context;
  const { presentAll } = createCheckPresenter(context);

  async function present(group: CheckGroupRecord, checks: readonly CheckRecord[]): Promise<CheckResponse[]> {
    const { accountId, id: groupId } = group;
    const subscriptions = await store.subscriptions.ofTarget(accountId, { groupId });
    const shown = await presentAll(accountId, checks);
    return checks.map((check, index) =>
      applyGroupSettings(requireFound(shown[index], `check ${check.id}`), check, group, subscriptions),
    );
  }

  async function list({ accountId, params: { id }, query, header }: ListCall): Promise<CheckResponse[]> {
    const group = await requireGroup(store, accountId, id);
    const all = await store.checks.byGroup(accountId, id);
    const { limit, offset } = pageSlice(query);
    const checks = all.slice(offset, offset + limit);
    sendContentRange(header, offset, checks.length, all.length);
    return present(group, checks);
  }

  async function get({ accountId, params: { groupId, checkId } }: GetCall): Promise<CheckResponse> {
    const group = await requireGroup(store, accountId, groupId);
    const check = await requireCheck(store, accountId, checkId);
    if (check.groupId !== groupId) throw notFound(`check ${checkId} in check group ${groupId}`);
    const [shown] = await present(group, [check]);
    return requireFound(shown, `check ${checkId}`);
  }

  return {
    listGroupChecks: list,
    listGroupChecksV2: list,
    getGroupCheck: get,
    getGroupCheckV2: get,
  } satisfies Partial<Handlers>;
}

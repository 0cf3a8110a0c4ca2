/** Check groups. Endpoint 1 and its neighbours. That a group overrides its checks is the engine's planning. */
import type { BodyOf, createCheckGroup, ResponseOf, updateCheckGroup } from '../../../contract/index.ts';
import type { CheckGroupBody, CheckGroupRecord, Subscription } from '../../store/index.ts';
import { pageSlice } from '../../store/page-slice.ts';
import { resubscribe, shownSubscriptions, subscribeNew } from './alerting.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed } from './documents.ts';
import { presented, Rows } from './lists.ts';
import { invalid, notFound, Problem } from './problem.ts';
import { missingReferences, nothingToRunIn, requireGroup } from './references.ts';
import { keptDefaults, keptVariables, shownDefaults, shownVariables } from './secrets.ts';
import { deleteUnlessUsed, useOfGroup } from './usage.ts';

type GroupRequest = BodyOf<typeof updateCheckGroup> | BodyOf<typeof createCheckGroup>;
type GroupAnswer = ResponseOf<typeof updateCheckGroup>;

function present(group: CheckGroupRecord, subscriptions: readonly Subscription[]): GroupAnswer {
  const { alertSettings, apiCheckDefaults, environmentVariables, ...fields } = group.body;
  return {
    id: group.id,
    tags: [],
    locations: [],
    runtimeId: null,
    privateLocations: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    ...fields,
    activated: fields.activated ?? true,
    concurrency: fields.concurrency ?? 3,
    apiCheckDefaults: shownDefaults(apiCheckDefaults ?? {}),
    environmentVariables: shownVariables(environmentVariables ?? null),
    ...(alertSettings ? { alertSettings } : {}),
    alertChannelSubscriptions: shownSubscriptions(subscriptions),
    ...ages(group),
  };
}

/** A request as it is kept. A name has no default: left out, it stays; so do subscriptions, which are kept apart. */
function kept(request: GroupRequest, before?: CheckGroupBody): CheckGroupBody {
  const { alertChannelSubscriptions: _, apiCheckDefaults, environmentVariables, ...fields } = request;
  const defaults = keptDefaults(apiCheckDefaults, before?.apiCheckDefaults);
  const variables = keptVariables(environmentVariables, before?.environmentVariables);
  return {
    ...fields,
    name: fields.name ?? before?.name ?? '',
    ...(defaults === undefined ? {} : { apiCheckDefaults: defaults }),
    ...(variables === undefined ? {} : { environmentVariables: variables }),
  };
}

export function checkGroupHandlers({ store, engine }: HandlerContext) {
  const show = async (group: CheckGroupRecord) =>
    present(group, await store.subscriptions.ofTarget(group.accountId, { groupId: group.id }));

  async function update(accountId: string, id: number, request: GroupRequest): Promise<GroupAnswer> {
    const { group, checks } = await store.transaction(async (tx) => {
      const before = await requireGroup(tx, accountId, id);
      const found = await missingReferences(tx, accountId, request);
      if (found.length > 0) throw invalid(found);
      const after = await tx.groups.replace(accountId, id, kept(request, before.body));
      if (!after) throw notFound(`check group ${id}`);
      if (request.alertChannelSubscriptions) {
        await resubscribe(tx, accountId, { groupId: id }, request.alertChannelSubscriptions);
      }
      return { group: after, checks: await tx.checks.byGroup(accountId, id) };
    });
    for (const check of checks) await engine.checkChanged(check.id);
    return show(group);
  }

  async function presentAll(accountId: string, groups: readonly CheckGroupRecord[]) {
    const ids = groups.map(({ id }) => id);
    const all = await store.subscriptions.ofMany(accountId, 'groupId', ids);
    return groups.map((group) =>
      present(
        group,
        all.filter(({ groupId }) => groupId === group.id),
      ),
    );
  }

  return {
    async listCheckGroups({ accountId, query }) {
      const found = await store.groups.listing(accountId, pageSlice(query));
      return new Rows(presented(found, (groups) => presentAll(accountId, groups)));
    },

    async createCheckGroup({ accountId, endpoint, query, body }) {
      const request = completed(endpoint, body);
      const group = await store.transaction(async (tx) => {
        const found = await missingReferences(tx, accountId, request);
        if (found.length > 0) throw invalid(found);
        const created = await tx.groups.create(accountId, kept(request));
        const target = { groupId: created.id };
        await subscribeNew(tx, accountId, target, body.alertChannelSubscriptions, query.autoAssignAlerts);
        return created;
      });
      return show(group);
    },

    getCheckGroup: async ({ accountId, params }) => show(await requireGroup(store, accountId, params.id)),

    updateCheckGroup: ({ accountId, endpoint, params, body }) =>
      update(accountId, params.id, completed(endpoint, body)),
    updateCheckGroupV2: ({ accountId, endpoint, params, body }) =>
      update(accountId, params.id, completed(endpoint, body)),

    async runCheckGroup({ accountId, params: { id } }) {
      const group = await requireGroup(store, accountId, id);
      const sessions = await engine.startGroup({ accountId, groupId: id, runSource: 'GROUP_RUN_ALL' });
      if (sessions.length === 0) throw new Problem(404, await nothingToRunIn(store, group));
      return { sessions };
    },

    deleteCheckGroup: ({ accountId, params: { id }, query: { force } }) =>
      deleteUnlessUsed(store, engine, {
        ...{ accountId, what: `check group ${id}`, use: useOfGroup(id), force },
        async remove(tx) {
          if (!(await tx.groups.delete(accountId, id))) throw notFound(`check group ${id}`);
        },
      }),
  } satisfies HandlersFor<
    | 'listCheckGroups'
    | 'createCheckGroup'
    | 'getCheckGroup'
    | 'updateCheckGroup'
    | 'updateCheckGroupV2'
    | 'runCheckGroup'
    | 'deleteCheckGroup'
  >;
}

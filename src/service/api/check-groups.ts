/** Check groups. Endpoint 1 and its neighbours. That a group overrides its checks is the engine's planning. */
import type { BodyOf, createCheckGroup, ResponseOf, updateCheckGroup } from '../../contract/index.ts';
import { sliceOf } from '../slice.ts';
import {
  type CheckGroupBody,
  type CheckGroupRecord,
  StoreConflict,
  type Subscription,
} from '../store/index.ts';
import { resubscribe, shownSubscriptions, subscribeNew } from './alerting.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, completed } from './documents.ts';
import { conflict, invalid, notFound } from './problem.ts';
import { missingReferences, requireGroup } from './references.ts';
import { keptDefaults, keptVariables, shownDefaults, shownVariables } from './secrets.ts';

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
    present(group, await store.subscriptions.of(group.accountId, { groupId: group.id }));

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

  return {
    async listCheckGroups({ accountId, query }) {
      const groups = await store.groups.list(accountId, sliceOf(query));
      const all = groups.length === 0 ? [] : await store.subscriptions.list(accountId);
      return groups.map((group) =>
        present(
          group,
          all.filter(({ groupId }) => groupId === group.id),
        ),
      );
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

    async deleteCheckGroup({ accountId, params }) {
      try {
        const wasThere = await store.groups.delete(accountId, params.id);
        if (!wasThere) throw notFound(`check group ${params.id}`);
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        throw conflict(`Check group ${params.id} still holds checks; delete them or move them first`);
      }
      return undefined;
    },
  } satisfies HandlersFor<
    | 'listCheckGroups'
    | 'createCheckGroup'
    | 'getCheckGroup'
    | 'updateCheckGroup'
    | 'updateCheckGroupV2'
    | 'deleteCheckGroup'
  >;
}

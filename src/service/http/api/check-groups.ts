/** Handles check groups (endpoint 1 and related ones). The engine applies the overrides of a group to its checks. */
import {
  type BodyOf,
  createCheckGroup,
  type ResponseOf,
  type updateCheckGroup,
} from '../../../contract/index.ts';
import { changeAlerting } from '../../notify/alerts/change-alerting.ts';
import type { CheckGroupBody, CheckGroupRecord, Subscription } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { createSubscriptions, presentSubscriptions, replaceSubscriptions } from './check-subscriptions.ts';
import { deleteUnlessUsed, groupUsage } from './delete-unless-used.ts';
import { applyDefaults, timestamps } from './document-resource.ts';
import type { Call, HandlerContext, Handlers } from './handler.ts';
import { presentRows, Rows } from './list-responder.ts';
import { Problem, requireFound } from './problem.ts';
import { assertReferences, noCheckInGroupMessage, requireGroup } from './references.ts';
import { maskSecrets, restoreDefaults, restoreVariables } from './secrets.ts';

type GroupRequest = BodyOf<typeof updateCheckGroup> | BodyOf<typeof createCheckGroup>;
type GroupResponse = ResponseOf<typeof updateCheckGroup>;
type CreateCall = Pick<Call<typeof createCheckGroup>, 'accountId' | 'endpoint' | 'query' | 'body'>;

function present(group: CheckGroupRecord, subscriptions: readonly Subscription[]): GroupResponse {
  const body = maskSecrets(createCheckGroup.body, group.body);
  const { alertSettings, apiCheckDefaults, environmentVariables, ...fields } = body;
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
    apiCheckDefaults: apiCheckDefaults ?? {},
    environmentVariables: environmentVariables ?? null,
    ...(alertSettings ? { alertSettings } : {}),
    alertChannelSubscriptions: presentSubscriptions(
      subscriptions.filter(({ groupId }) => groupId === group.id),
    ),
    ...timestamps(group),
  };
}

/** Returns the body to store. A missing name keeps the current one. Subscriptions are stored separately. */
function toStoredBody(request: GroupRequest, before?: CheckGroupBody): CheckGroupBody {
  const { alertChannelSubscriptions: _, apiCheckDefaults, environmentVariables, ...fields } = request;
  const defaults = restoreDefaults(apiCheckDefaults, before?.apiCheckDefaults);
  const variables = restoreVariables(environmentVariables, before?.environmentVariables);
  return {
    ...fields,
    name: fields.name ?? before?.name ?? '',
    ...(defaults === undefined ? {} : { apiCheckDefaults: defaults }),
    ...(variables === undefined ? {} : { environmentVariables: variables }),
  };
}

export function checkGroupHandlers(context: HandlerContext) {
  const { store, engine } = context;
  async function presentAll(accountId: string, groups: readonly CheckGroupRecord[]) {
    const ids = groups.map(({ id }) => id);
    const subscriptions = await store.subscriptions.ofMany(accountId, 'groupId', ids);
    return groups.map((group) => present(group, subscriptions));
  }
  async function presentOne(group: CheckGroupRecord) {
    return present(group, await store.subscriptions.ofTarget(group.accountId, { groupId: group.id }));
  }

  async function update(accountId: string, id: number, request: GroupRequest): Promise<GroupResponse> {
    const { group, checks } = await store.transaction(async (tx) => {
      const before = await requireGroup(tx, accountId, id);
      await assertReferences(tx, accountId, request);
      const after = await changeAlerting(tx, { accountId, groupId: id }, async () => {
        const { alertChannelSubscriptions: subscriptions } = request;
        if (subscriptions) await replaceSubscriptions(tx, accountId, { groupId: id }, subscriptions);
        return tx.groups.replace(accountId, id, toStoredBody(request, before.body));
      });
      return {
        group: requireFound(after, `check group ${id}`),
        checks: await tx.checks.byGroup(accountId, id),
      };
    });
    await engine.rescheduleChecks(checks.map(({ id }) => id));
    return presentOne(group);
  }

  async function create({ accountId, endpoint, query, body }: CreateCall): Promise<GroupResponse> {
    const request = applyDefaults(endpoint, body);
    const group = await store.transaction(async (tx) => {
      await assertReferences(tx, accountId, request);
      const created = await tx.groups.create(accountId, toStoredBody(request));
      await createSubscriptions(
        tx,
        accountId,
        { groupId: created.id },
        {
          requested: body.alertChannelSubscriptions,
          toAll: query.autoAssignAlerts,
        },
      );
      return created;
    });
    return presentOne(group);
  }

  return {
    async listCheckGroups({ accountId, query }) {
      const { name: names, tag: tags } = query;
      const listing = await store.groups.matching(accountId, { names, tags, ...pageSlice(query) });
      return new Rows(presentRows(listing, (groups) => presentAll(accountId, groups)));
    },

    createCheckGroup: create,
    createCheckGroupV2: create,

    getCheckGroup: async ({ accountId, params }) =>
      presentOne(await requireGroup(store, accountId, params.id)),

    updateCheckGroup: ({ accountId, endpoint, params, body }) =>
      update(accountId, params.id, applyDefaults(endpoint, body)),
    updateCheckGroupV2: ({ accountId, endpoint, params, body }) =>
      update(accountId, params.id, applyDefaults(endpoint, body)),

    async runCheckGroup({ accountId, params: { id } }) {
      const group = await requireGroup(store, accountId, id);
      const sessions = await engine.startGroup({ accountId, groupId: id, runSource: 'GROUP_RUN_ALL' });
      if (sessions.length === 0) throw new Problem(404, await noCheckInGroupMessage(store, group));
      return { sessions };
    },

    deleteCheckGroup: (call) =>
      deleteUnlessUsed(context, call, {
        label: `check group ${call.params.id}`,
        usage: groupUsage(call.params.id),
        remove: (tx) => tx.groups.delete(call.accountId, call.params.id),
      }),
  } satisfies Partial<Handlers>;
}

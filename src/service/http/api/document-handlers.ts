/** Handles dashboards, services, snippets and environment variables: documents with few rules. Endpoints 15, 17 and 18. */
import { createDashboard, createVariable } from '../../../contract/index.ts';
import type { ServiceRecord, StoredResource, VariableBody } from '../../store/documents.ts';
import { deleteUnlessUsed, serviceUsage, snippetUsage, variableUsage } from './delete-unless-used.ts';
import {
  applyChange,
  applyDefaults,
  createDocumentResource,
  listByPage,
  timestamps,
} from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { notFound } from './problem.ts';

function dashboardHandlers({ store, clock }: HandlerContext) {
  const dashboards = createDocumentResource({
    collection: store.dashboards,
    label: 'dashboard',
    conflictMessage: ({ customUrl }) => `Another dashboard already uses the address ${customUrl}`,
    present: (stored) => ({ dashboardId: stored.id, ...stored.body, ...timestamps(stored) }),
  });
  return {
    listDashboards: (call) => dashboards.list(call),
    createDashboard: ({ accountId, endpoint, body }) =>
      dashboards.create(accountId, applyDefaults(endpoint, body)),
    getDashboard: ({ accountId, params }) => dashboards.get(accountId, params.dashboardId),
    updateDashboard: ({ accountId, params, body }) =>
      dashboards.change(accountId, params.dashboardId, (before) =>
        applyChange(createDashboard, before, body, clock.now()),
      ),
    deleteDashboard: ({ accountId, params }) => dashboards.remove(accountId, params.dashboardId),
  } satisfies HandlersFor<
    'listDashboards' | 'createDashboard' | 'getDashboard' | 'updateDashboard' | 'deleteDashboard'
  >;
}

/** Returns the response for a service, alone and on the cards of status pages and incidents. */
export const presentService = (stored: ServiceRecord) => ({
  id: stored.id,
  accountId: stored.accountId,
  ...stored.body,
  ...timestamps(stored),
});

function serviceHandlers({ store, engine }: HandlerContext) {
  const services = createDocumentResource({
    collection: store.services,
    label: 'status page service',
    present: presentService,
  });
  return {
    listServices: (call) => services.page(call),
    createService: ({ accountId, endpoint, body }) =>
      services.create(accountId, applyDefaults(endpoint, body)),
    getService: ({ accountId, params }) => services.get(accountId, params.id),
    updateService: ({ accountId, params, body }) =>
      services.change(accountId, params.id, (before) => ({ ...before, ...body })),
    deleteService: ({ accountId, params: { id }, query: { force } }) =>
      deleteUnlessUsed(store, engine, {
        accountId,
        label: `status page service ${id}`,
        usage: serviceUsage(id),
        force,
        remove: (tx) => services.remove(accountId, id, tx.services),
      }),
  } satisfies HandlersFor<
    'listServices' | 'createService' | 'getService' | 'updateService' | 'deleteService'
  >;
}

function snippetHandlers({ store, engine }: HandlerContext) {
  const snippets = createDocumentResource({
    collection: store.snippets,
    label: 'snippet',
    present: (stored) => ({ id: stored.id, ...stored.body, ...timestamps(stored) }),
  });
  return {
    listSnippets: (call) => snippets.list(call),
    createSnippet: ({ accountId, endpoint, body }) =>
      snippets.create(accountId, applyDefaults(endpoint, body)),
    getSnippet: ({ accountId, params }) => snippets.get(accountId, params.id),
    updateSnippet: ({ accountId, params, body }) =>
      snippets.change(accountId, params.id, (before) => ({ ...before, ...body })),
    deleteSnippet: ({ accountId, params: { id }, query: { force } }) =>
      deleteUnlessUsed(store, engine, {
        accountId,
        label: `snippet ${id}`,
        usage: snippetUsage(id),
        force,
        remove: (tx) => snippets.remove(accountId, id, tx.snippets),
      }),
  } satisfies HandlersFor<
    'listSnippets' | 'createSnippet' | 'getSnippet' | 'updateSnippet' | 'deleteSnippet'
  >;
}

/** Returns the response for a variable. It never has the value of a secret, and a list has no values of locked variables. */
function presentVariable(stored: StoredResource<string, VariableBody>, isInList: boolean) {
  const { key, value, locked = false, secret = false } = stored.body;
  const isHidden = secret || (locked && isInList);
  return { key, ...(isHidden ? {} : { value }), locked, secret, ...timestamps(stored) };
}

function variableHandlers({ store, clock, engine }: HandlerContext) {
  const collection = store.variables;
  const variables = createDocumentResource({
    collection,
    label: 'variable',
    conflictMessage: ({ key }) => `Variable ${key} already exists`,
    present: (stored) => presentVariable(stored, false),
  });

  async function requireVariable(
    accountId: string,
    key: string,
  ): Promise<StoredResource<string, VariableBody>> {
    const stored = await collection.byKey(accountId, key);
    if (!stored) throw notFound(`variable ${key}`);
    return stored;
  }

  return {
    listVariables: (call) =>
      listByPage(collection, call, (entries) => entries.map((stored) => presentVariable(stored, true))),
    createVariable: ({ accountId, endpoint, body }) =>
      variables.create(accountId, applyDefaults(endpoint, body)),
    getVariable: async ({ accountId, params }) =>
      presentVariable(await requireVariable(accountId, params.key), false),
    async updateVariable({ accountId, params, body }) {
      const { id } = await requireVariable(accountId, params.key);
      return variables.change(accountId, id, (before) =>
        applyChange(createVariable, before, body, clock.now()),
      );
    },
    async deleteVariable({ accountId, params: { key }, query: { force } }) {
      const { id } = await requireVariable(accountId, key);
      return deleteUnlessUsed(store, engine, {
        accountId,
        label: `variable ${key}`,
        usage: variableUsage(key),
        force,
        remove: (tx) => variables.remove(accountId, id, tx.variables),
      });
    },
  } satisfies HandlersFor<
    'listVariables' | 'createVariable' | 'getVariable' | 'updateVariable' | 'deleteVariable'
  >;
}

/** Returns the handlers of dashboards, services, snippets and variables. */
export const documentHandlers = (context: HandlerContext) => ({
  ...dashboardHandlers(context),
  ...serviceHandlers(context),
  ...snippetHandlers(context),
  ...variableHandlers(context),
});

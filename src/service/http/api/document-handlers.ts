/** Handles services, snippets and environment variables: documents with few rules. Endpoints 15, 17 and 18. */
import { type BodyOf, createVariable, type Endpoint, type updateVariable } from '../../../contract/index.ts';
import { entityTagOf } from '../../../contract/project-state.ts';
import type { ServiceRecord, SnippetBody, StoredResource, VariableBody } from '../../store/documents.ts';
import { deleteUnlessUsed, serviceUsage, snippetUsage, variableUsage } from './delete-unless-used.ts';
import { applyChange, createDocumentResource, listByPage, timestamps } from './document-resource.ts';
import type { Call, HandlerContext, Handlers } from './handler.ts';
import { invalid, Problem, requireFound, violation } from './problem.ts';

type VariableChange = BodyOf<typeof updateVariable>;

/** Returns the response for a service, alone and on the cards of status pages and incidents. */
export const presentService = (stored: ServiceRecord) => ({
  id: stored.id,
  accountId: stored.accountId,
  ...stored.body,
  ...timestamps(stored),
});

/** More services than an account has. */
const ALL_SERVICES = 1_000_000;

function serviceHandlers(context: HandlerContext) {
  const services = createDocumentResource({
    collection: context.store.services,
    label: 'status page service',
    param: 'id',
    present: (all) => all.map(presentService),
  });
  return {
    listServices: ({ accountId, query: { paginated, ...query } }) =>
      services.page({ accountId, query: paginated ? query : { ...query, limit: ALL_SERVICES } }),
    createService: services.create,
    getService: services.get,
    updateService: services.update,
    deleteService: (call) =>
      deleteUnlessUsed(context, call, {
        label: `status page service ${call.params.id}`,
        usage: serviceUsage(call.params.id),
        remove: (tx) => tx.services.delete(call.accountId, call.params.id),
      }),
  } satisfies Partial<Handlers>;
}

function snippetHandlers(context: HandlerContext) {
  const snippets = createDocumentResource({
    collection: context.store.snippets,
    label: 'snippet',
    param: 'id',
    conflictMessage: ({ name }) => `Snippet "${name}" already exists`,
    present: (all) => all.map((stored) => ({ id: stored.id, ...stored.body, ...timestamps(stored) })),
  });
  const withTag = async <T extends SnippetBody>(
    { header }: Pick<Call<Endpoint>, 'header'>,
    found: Promise<T>,
  ): Promise<T> => {
    header('etag', entityTagOf((await found).script));
    return found;
  };
  return {
    listSnippets: snippets.list,
    createSnippet: (call) => withTag(call, snippets.create(call)),
    getSnippet: (call) => withTag(call, snippets.get(call)),
    updateSnippet: (call) =>
      withTag(
        call,
        snippets.change(call.accountId, call.params.id, (before) => {
          if (call.ifMatch !== undefined && call.ifMatch !== entityTagOf(before.script))
            throw new Problem(412, 'The snippet has changed since it was read');
          return { ...before, ...call.body };
        }),
      ),
    deleteSnippet: (call) =>
      deleteUnlessUsed(context, call, {
        label: `snippet ${call.params.id}`,
        usage: snippetUsage(call.params.id),
        remove: (tx) => tx.snippets.delete(call.accountId, call.params.id),
      }),
  } satisfies Partial<Handlers>;
}

/** Returns the response for a variable. It never has the value of a secret, and a list has no values of locked variables. */
function presentVariable(stored: StoredResource<string, VariableBody>, isInList: boolean) {
  const { key, value, locked = false, secret = false } = stored.body;
  const isHidden = secret || (locked && isInList);
  return { key, ...(isHidden ? {} : { value }), locked, secret, ...timestamps(stored) };
}

/**
 * Returns a change with the stored value if it has none, or an empty one for a secret: responses never contain that value.
 * Throws `Problem` 400 if the change would show the stored value of a secret.
 */
function restoreValue(before: VariableBody, { value, ...fields }: VariableChange): VariableChange {
  const isMasked = value === undefined || (before.secret === true && value === '');
  if (isMasked && before.secret && fields.secret === false)
    throw invalid([violation('body', ['value'], 'required', 'is required when secret becomes false')]);
  return isMasked ? fields : { ...fields, value };
}

function variableHandlers(context: HandlerContext) {
  const { store, clock } = context;
  const variables = createDocumentResource({
    collection: store.variables,
    label: 'variable',
    param: 'id',
    conflictMessage: ({ key }) => `Variable ${key} already exists`,
    present: (all) => all.map((stored) => presentVariable(stored, false)),
  });
  const requireVariable = async (
    accountId: string,
    key: string,
  ): Promise<StoredResource<string, VariableBody>> =>
    requireFound(await store.variables.byKey(accountId, key), `variable ${key}`);

  return {
    listVariables: (call) =>
      listByPage(store.variables, call, (all) => all.map((stored) => presentVariable(stored, true))),
    createVariable: variables.create,
    getVariable: async ({ accountId, params }) =>
      presentVariable(await requireVariable(accountId, params.key), false),
    async updateVariable({ accountId, params, body }) {
      const { id } = await requireVariable(accountId, params.key);
      return variables.change(accountId, id, (before) =>
        applyChange(createVariable, before, restoreValue(before, body), clock.now()),
      );
    },
    async deleteVariable(call) {
      const { key } = call.params;
      const { id } = await requireVariable(call.accountId, key);
      return deleteUnlessUsed(context, call, {
        label: `variable ${key}`,
        usage: variableUsage(key),
        remove: (tx) => tx.variables.delete(call.accountId, id),
      });
    },
  } satisfies Partial<Handlers>;
}

export const documentHandlers = (context: HandlerContext) => ({
  ...serviceHandlers(context),
  ...snippetHandlers(context),
  ...variableHandlers(context),
});

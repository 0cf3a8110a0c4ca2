/** Environment variables, addressed by their key. Endpoint 17 and its neighbours. A secret value is never shown again. */
import { createVariable } from '../../../contract/index.ts';
import type { StoredResource } from '../../store/collection.ts';
import type { VariableBody } from '../../store/documents.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, changed, completed, documentResource } from './documents.ts';
import { notFound } from './problem.ts';
import { deleteUnlessUsed, useOfVariable } from './usage.ts';

function present(stored: StoredResource<string, VariableBody>, where: 'alone' | 'list') {
  const { key, value, locked = false, secret = false } = stored.body;
  const isHidden = secret || (locked && where === 'list');
  return { key, ...(isHidden ? {} : { value }), locked, secret, ...ages(stored) };
}

export function variableHandlers({ store, clock, engine }: HandlerContext) {
  const collection = store.variables;
  const resource = { collection, what: 'variable', taken: takenKey } as const;
  const variables = documentResource({ ...resource, present: (stored) => present(stored, 'alone') });
  const listed = documentResource({ ...resource, present: (stored) => present(stored, 'list') });

  async function byKey(accountId: string, key: string): Promise<StoredResource<string, VariableBody>> {
    const stored = await collection.byKey(accountId, key);
    if (!stored) throw notFound(`variable ${key}`);
    return stored;
  }

  return {
    listVariables: (call) => listed.list(call),
    createVariable: ({ accountId, endpoint, body }) => variables.create(accountId, completed(endpoint, body)),
    getVariable: async ({ accountId, params }) => present(await byKey(accountId, params.key), 'alone'),
    async updateVariable({ accountId, params, body }) {
      const { id } = await byKey(accountId, params.key);
      return variables.change(accountId, id, (before) => changed(createVariable, before, body, clock.now()));
    },
    async deleteVariable({ accountId, params: { key }, query: { force } }) {
      const { id } = await byKey(accountId, key);
      return deleteUnlessUsed(store, engine, {
        ...{ accountId, what: `variable ${key}`, use: useOfVariable(key), force },
        remove: (tx) => variables.remove(accountId, id, tx.variables),
      });
    },
  } satisfies HandlersFor<
    'listVariables' | 'createVariable' | 'getVariable' | 'updateVariable' | 'deleteVariable'
  >;
}

function takenKey({ key }: VariableBody): string {
  return `Variable ${key} already exists`;
}

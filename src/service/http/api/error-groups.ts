/** Handles error groups: lists and archives them (endpoints 11 and 12). */
import type { HandlerContext, Handlers } from './handler.ts';
import { requireFound } from './problem.ts';
import { requireCheck } from './references.ts';

export function errorGroupHandlers({ engine, store }: HandlerContext) {
  return {
    async listErrorGroups({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      return engine.errorGroups.list({ accountId, checkId: params.checkId, ...query });
    },

    listAllErrorGroups: ({ accountId, query }) => engine.errorGroups.list({ accountId, ...query }),

    getErrorGroup: async ({ accountId, params: { id } }) =>
      requireFound(await engine.errorGroups.get(accountId, id), `error group ${id}`),

    async updateErrorGroup({ accountId, params, body }) {
      return requireFound(
        await engine.errorGroups.patch(accountId, params.id, body),
        `error group ${params.id}`,
      );
    },
  } satisfies Partial<Handlers>;
}

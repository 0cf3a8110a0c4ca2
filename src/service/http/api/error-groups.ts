/** Handles error groups: lists and archives them (endpoints 11 and 12). */
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { notFound } from './problem.ts';
import { requireCheck } from './references.ts';

export function errorGroupHandlers({ engine, store }: HandlerContext) {
  return {
    async listErrorGroups({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      return engine.errorGroups.list({ accountId, checkId: params.checkId, ...query });
    },

    async updateErrorGroup({ accountId, params, body }) {
      const group = await engine.errorGroups.patch(accountId, params.id, body);
      if (!group) throw notFound(`error group ${params.id}`);
      return group;
    },
  } satisfies HandlersFor<'listErrorGroups' | 'updateErrorGroup'>;
}

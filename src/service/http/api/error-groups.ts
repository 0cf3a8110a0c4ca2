/** Handles error groups: lists and archives them (endpoints 11 and 12). */
import type { HandlerContext, Handlers } from './handler.ts';
import { requireFound } from './problem.ts';
import { requireCheck } from './references.ts';

export function errorGroupHandlers({ engine, store }: HandlerContext) {
  const findTested = async (accountId: string, id: string) =>
    requireFound(await engine.errorGroups.getTested(accountId, id), `error group ${id} of test sessions`);
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

    listTestErrorGroups: ({ accountId, query }) => engine.errorGroups.listTested({ accountId, ...query }),

    async listProjectTestErrorGroups({ accountId, params: { projectId }, query }) {
      requireFound(await store.projects.get(accountId, projectId), `project ${projectId}`);
      return engine.errorGroups.listTested({ accountId, projectId, ...query });
    },

    getTestErrorGroup: ({ accountId, params: { id } }) => findTested(accountId, id),

    async updateTestErrorGroup({ accountId, params: { id }, body }) {
      await findTested(accountId, id);
      await engine.errorGroups.patch(accountId, id, body);
      return findTested(accountId, id);
    },
  } satisfies Partial<Handlers>;
}

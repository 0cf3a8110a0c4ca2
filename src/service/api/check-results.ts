/** Raw results of a check: the deprecated listing (endpoint 20) and its replacement. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { requireCheck } from './references.ts';

export function checkResultHandlers({ engine, store }: HandlerContext) {
  return {
    async listCheckResultsDeprecated({ accountId, params, query, header }) {
      await requireCheck(store, accountId, params.checkId);
      header('deprecation', 'true');
      header('link', `</v2/check-results/${encodeURIComponent(params.checkId)}>; rel="successor-version"`);
      return engine.results.list({ ...query, accountId, checkId: params.checkId });
    },

    async listCheckResults({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      return engine.results.page({ ...query, accountId, checkId: params.checkId });
    },
  } satisfies HandlersFor<'listCheckResultsDeprecated' | 'listCheckResults'>;
}

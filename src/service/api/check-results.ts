/** Results of a check: the deprecated listing (endpoint 20), its replacement, and what they came to by hour and day. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { requireCheck } from './references.ts';

/** The last second that a date can name; a later one means as much. */
const LAST_SECOND = 8_640_000_000_000;

/** The filters with instants that every store can hold. */
function bounded<Q extends { from?: number; to?: number }>(query: Q): Q {
  const { from, to } = query;
  return {
    ...query,
    ...(from === undefined ? {} : { from: Math.min(from, LAST_SECOND) }),
    ...(to === undefined ? {} : { to: Math.min(to, LAST_SECOND) }),
  };
}

export function checkResultHandlers({ engine, store }: HandlerContext) {
  return {
    async listCheckResultsDeprecated({ accountId, params, query, header }) {
      await requireCheck(store, accountId, params.checkId);
      header('deprecation', 'true');
      header('link', `</v2/check-results/${encodeURIComponent(params.checkId)}>; rel="successor-version"`);
      return engine.results.list({ ...bounded(query), accountId, checkId: params.checkId });
    },

    async listCheckResults({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      return engine.results.page({ ...bounded(query), accountId, checkId: params.checkId });
    },

    async listCheckRollUps({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      return engine.results.rollUps({ ...bounded(query), accountId, checkId: params.checkId });
    },
  } satisfies HandlersFor<'listCheckResultsDeprecated' | 'listCheckResults' | 'listCheckRollUps'>;
}

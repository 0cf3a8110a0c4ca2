/** Results of a check: the deprecated listing (endpoint 20), its replacement, and what they came to by hour and day. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { Rows } from './lists.ts';
import { invalid } from './problem.ts';
import { locationViolations, requireCheck } from './references.ts';

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
  /** Refuses a location that nothing was found of and that is none: one that was deleted since may have results. */
  async function orUnknown<T>(
    accountId: string,
    { location }: { readonly location?: string },
    found: T,
    count: number,
  ): Promise<T> {
    if (count > 0 || location === undefined) return found;
    const violations = await locationViolations(store, accountId, location, ['location'], 'query');
    if (violations.length > 0) throw invalid(violations);
    return found;
  }

  return {
    async listCheckResultsDeprecated({ accountId, params, query, header }) {
      await requireCheck(store, accountId, params.checkId);
      header('deprecation', 'true');
      header('link', `</v2/check-results/${encodeURIComponent(params.checkId)}>; rel="successor-version"`);
      const found = await engine.results.listing({ ...bounded(query), accountId, checkId: params.checkId });
      return orUnknown(accountId, query, new Rows(found.chunks), found.length);
    },

    async listCheckResults({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      const found = await engine.results.paging({ ...bounded(query), accountId, checkId: params.checkId });
      return orUnknown(accountId, query, new Rows(found.chunks, found.nextId), found.length);
    },

    async listCheckRollUps({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      const found = await engine.results.rollUps({ ...bounded(query), accountId, checkId: params.checkId });
      return orUnknown(accountId, query, found, found.length);
    },
  } satisfies HandlersFor<'listCheckResultsDeprecated' | 'listCheckResults' | 'listCheckRollUps'>;
}

/** Handles results of checks: the deprecated listing (endpoint 20), its replacement, and roll-ups. */
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { Rows } from './list-responder.ts';
import { invalid } from './problem.ts';
import { locationViolations, requireCheck } from './references.ts';

/** The last second that a Date can represent. */
const MAX_SECOND = 8_640_000_000_000;

/** Limits the times of a filter to those that every store can hold. */
function clampTimes<Q extends { from?: number; to?: number }>(query: Q): Q {
  const { from, to } = query;
  return {
    ...query,
    ...(from === undefined ? {} : { from: Math.min(from, MAX_SECOND) }),
    ...(to === undefined ? {} : { to: Math.min(to, MAX_SECOND) }),
  };
}

export function checkResultHandlers({ engine, store }: HandlerContext) {
  /** Throws `Problem` 400 if nothing was found for an unknown location. A deleted location may still have results. */
  async function requireKnownLocation<T>(
    accountId: string,
    { location }: { readonly location?: string },
    results: T,
    count: number,
  ): Promise<T> {
    if (count > 0 || location === undefined) return results;
    const violations = await locationViolations(store, accountId, location, ['location'], 'query');
    if (violations.length > 0) throw invalid(violations);
    return results;
  }

  return {
    async listCheckResultsDeprecated({ accountId, params, query, header }) {
      await requireCheck(store, accountId, params.checkId);
      header('deprecation', 'true');
      header('link', `</v2/check-results/${encodeURIComponent(params.checkId)}>; rel="successor-version"`);
      const results = await engine.results.listing({
        ...clampTimes(query),
        accountId,
        checkId: params.checkId,
      });
      return requireKnownLocation(accountId, query, new Rows(results.chunks), results.length);
    },

    async listCheckResults({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      const results = await engine.results.paging({
        ...clampTimes(query),
        accountId,
        checkId: params.checkId,
      });
      return requireKnownLocation(accountId, query, new Rows(results.chunks, results.nextId), results.length);
    },

    async listCheckRollUps({ accountId, params, query }) {
      await requireCheck(store, accountId, params.checkId);
      const results = await engine.results.rollUps({
        ...clampTimes(query),
        accountId,
        checkId: params.checkId,
      });
      return requireKnownLocation(accountId, query, results, results.length);
    },
  } satisfies HandlersFor<'listCheckResultsDeprecated' | 'listCheckResults' | 'listCheckRollUps'>;
}

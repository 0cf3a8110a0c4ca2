/** Handles results of checks: the deprecated listing (endpoint 20), its replacement, and roll-ups. */
import { MAX_SECOND } from '../../engine/results/time-range.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { Rows } from './list-responder.ts';
import { assertValid, requireFound } from './problem.ts';
import { locationViolations, requireCheck } from './references.ts';

interface ResultCall<Q> {
  readonly accountId: string;
  readonly params: { readonly checkId: string };
  readonly query: Q;
}
interface Filter {
  readonly from?: number;
  readonly to?: number;
  readonly location?: string;
}

/** Limits the times of a filter to those that every store can hold. */
function clampTimes<Q extends Filter>(query: Q): Q {
  const { from, to } = query;
  return {
    ...query,
    ...(from === undefined ? {} : { from: Math.min(from, MAX_SECOND) }),
    ...(to === undefined ? {} : { to: Math.min(to, MAX_SECOND) }),
  };
}

export function checkResultHandlers({ engine, store }: HandlerContext) {
  /**
   * Reads results of a check. Throws `Problem` 400 if none was found for an unknown location. A deleted location may
   * still have results.
   */
  async function read<Q extends Filter, R extends { readonly length: number }>(
    { accountId, params: { checkId }, query }: ResultCall<Q>,
    readResults: (query: Q & { readonly accountId: string; readonly checkId: string }) => Promise<R>,
  ): Promise<R> {
    await requireCheck(store, accountId, checkId);
    const results = await readResults({ ...clampTimes(query), accountId, checkId });
    if (results.length === 0 && query.location !== undefined)
      assertValid(await locationViolations(store, accountId, query.location, ['location'], 'query'));
    return results;
  }

  return {
    async listCheckResultsDeprecated(call) {
      const results = await read(call, (query) => {
        call.header('deprecation', 'true');
        call.header(
          'link',
          `</v2/check-results/${encodeURIComponent(query.checkId)}>; rel="successor-version"`,
        );
        return engine.results.listing(query);
      });
      return new Rows(results.chunks);
    },
    async listCheckResults(call) {
      const results = await read(call, engine.results.paging);
      return new Rows(results.chunks, results.nextId);
    },
    async getCheckResult({ accountId, params: { checkId, checkResultId } }) {
      await requireCheck(store, accountId, checkId);
      const result = await engine.results.get(accountId, checkResultId);
      return requireFound(
        result?.checkId === checkId && result,
        `result ${checkResultId} of check ${checkId}`,
      );
    },
    listCheckRollUps: (call) => read(call, engine.results.rollUps),
  } satisfies Partial<Handlers>;
}

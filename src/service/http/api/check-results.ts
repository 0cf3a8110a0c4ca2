/** Handles results of checks: the deprecated listing (endpoint 20), its replacement, and roll-ups. */
import type { HandlerContext, Handlers } from './handler.ts';
import { Rows } from './list-responder.ts';
import { presentAssets } from './present-assets.ts';
import { assertValid, requireFound } from './problem.ts';
import { locationViolations, requireCheck } from './references.ts';

interface ResultCall<Q> {
  readonly accountId: string;
  readonly params: { readonly checkId: string };
  readonly query: Q;
}
interface Filter {
  readonly location?: string;
}

/** Returns the results with only the given fields, if any are given. */
async function* selectFields<R extends object>(
  chunks: AsyncIterable<readonly R[]>,
  fields: readonly string[] | undefined,
): AsyncGenerator<R[]> {
  // `createdAt` is a second published name.
  const names = fields && new Set(fields.map((name) => (name === 'createdAt' ? 'created_at' : name)));
  for await (const chunk of chunks)
    yield chunk.map((result) =>
      names === undefined
        ? result
        : (Object.fromEntries(Object.entries(result).filter(([name]) => names.has(name))) as R),
    );
}

/** Rounds the response time to whole milliseconds: published clients of /v1/check-results cannot read a fraction. */
const roundTime = <R extends { readonly responseTime?: number | null | undefined }>(result: R): R =>
  typeof result.responseTime === 'number'
    ? { ...result, responseTime: Math.round(result.responseTime) }
    : result;

async function* roundTimes<R extends Parameters<typeof roundTime>[0]>(chunks: AsyncIterable<readonly R[]>) {
  for await (const chunk of chunks) yield chunk.map((result) => roundTime(result));
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
    const results = await readResults({ ...query, accountId, checkId });
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
      return new Rows(roundTimes(results.chunks));
    },
    async listCheckResults(call) {
      const { fields, ...query } = call.query;
      const { accountId, params } = call;
      const results = await read({ accountId, params, query }, engine.results.paging);
      return new Rows(selectFields(results.chunks, fields), results.nextId);
    },
    async getCheckResult({ accountId, params: { checkId, checkResultId } }) {
      await requireCheck(store, accountId, checkId);
      const result = await engine.results.get(accountId, checkResultId);
      return requireFound(
        result?.checkId === checkId && roundTime(result),
        `result ${checkResultId} of check ${checkId}`,
      );
    },
    async listResultAssets({ accountId, params: { checkId, checkResultId }, query }) {
      await requireCheck(store, accountId, checkId);
      const assets = await engine.results.assets(accountId, checkId, checkResultId);
      return presentAssets(requireFound(assets, `result ${checkResultId} of check ${checkId}`), query);
    },
    listCheckRollUps: (call) => read(call, engine.results.rollUps),
  } satisfies Partial<Handlers>;
}

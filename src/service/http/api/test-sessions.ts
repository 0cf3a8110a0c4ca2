/** Handles test sessions, which run checks or an uploaded suite without alerts. Endpoint 10. */
import type { BodyOf, triggerTestSessions, Violation } from '../../../contract/index.ts';
import { awaitCompletion } from '../server/long-poll.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { presentAssets } from './present-assets.ts';
import { assertValid, invalid, Problem, requireFound, violation } from './problem.ts';
import {
  assertKnownChecks,
  locationViolations,
  noCheckToRunMessage,
  type ReferenceStore,
} from './references.ts';

const unknownBundle = violation(
  'body',
  ['suite', 'codeBundleId'],
  'reference',
  'does not match any code bundle of this account',
);

async function suiteViolations(
  store: ReferenceStore,
  accountId: string,
  { codeBundleId, furtherLocations = [] }: NonNullable<BodyOf<typeof triggerTestSessions>['suite']>,
): Promise<Violation[]> {
  const violations: Violation[] = (await store.codeBundles.has(accountId, codeBundleId))
    ? []
    : [unknownBundle];
  for (const [index, location] of furtherLocations.entries())
    violations.push(
      ...(await locationViolations(store, accountId, location, ['suite', 'furtherLocations', index])),
    );
  return violations;
}

export function testSessionHandlers(context: HandlerContext) {
  const { engine, stopping } = context;
  const { testSessions } = engine;
  return {
    async triggerTestSessions({ accountId, body }) {
      const { runLocation, suite } = body;
      assertValid([
        ...(await locationViolations(context.store, accountId, runLocation)),
        ...(suite ? await suiteViolations(context.store, accountId, suite) : []),
      ]);
      await assertKnownChecks(context.store, accountId, body.target?.checkId);
      const session = await testSessions.start({ ...body, accountId });
      if (!session && suite) throw invalid([unknownBundle]);
      if (!session)
        throw new Problem(404, await noCheckToRunMessage(context.store, accountId, body.target?.checkId));
      return session;
    },

    async listTestSessions({ accountId, query: { providers = [], ...filter } }) {
      // All sessions come from the API.
      const isNone = providers.length > 0 && !providers.includes('API');
      return isNone ? { length: 0, entries: [], nextId: null } : testSessions.list({ ...filter, accountId });
    },

    async getTestSession({ accountId, params }) {
      return requireFound(
        await testSessions.get(accountId, params.testSessionId),
        `test session ${params.testSessionId}`,
      );
    },

    async getTestSessionResult({ accountId, params: { testSessionId, testSessionResultId } }) {
      return requireFound(
        await testSessions.result(accountId, testSessionId, testSessionResultId),
        `result ${testSessionResultId} of test session ${testSessionId}`,
      );
    },

    async listTestResultAssets({ accountId, params: { testSessionId, testSessionResultId }, query }) {
      const assets = await testSessions.assets(accountId, testSessionId, testSessionResultId);
      const name = `result ${testSessionResultId} of test session ${testSessionId}`;
      return presentAssets(requireFound(assets, name), query);
    },

    async awaitTestSession({ accountId, params, query, signal }) {
      const { testSessionId } = params;
      return requireFound(
        await awaitCompletion(signal, stopping, (either) =>
          testSessions.await(accountId, testSessionId, query.maxWaitSeconds * 1000, either),
        ),
        `test session ${testSessionId}`,
      );
    },

    async cancelTestSession({ accountId, params }) {
      requireFound(
        await testSessions.cancel(accountId, params.testSessionId),
        `test session ${params.testSessionId}`,
      );
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

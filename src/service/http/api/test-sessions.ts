/** Handles test sessions, which run checks or an uploaded suite without alerts. Endpoint 10. */
import type { BodyOf, triggerTestSessions, Violation } from '../../../contract/index.ts';
import { awaitCompletion } from '../server/long-poll.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { invalid, notFound, Problem, violation } from './problem.ts';
import { locationViolations, noCheckToRunMessage, type ReferenceStore } from './references.ts';

const unknownBundle = violation(
  'body',
  ['suite', 'codeBundleId'],
  'reference',
  'does not match any code bundle of this account',
);

/** Returns violations for the bundle and locations of a suite that do not exist. */
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
      const violations = [
        ...(await locationViolations(context.store, accountId, runLocation)),
        ...(suite ? await suiteViolations(context.store, accountId, suite) : []),
      ];
      if (violations.length > 0) throw invalid(violations);
      const session = await testSessions.start({ ...body, accountId });
      if (!session && suite) throw invalid([unknownBundle]);
      if (!session)
        throw new Problem(404, await noCheckToRunMessage(context.store, accountId, body.target?.checkId));
      return session;
    },

    listTestSessions: ({ accountId, query }) => testSessions.list({ ...query, accountId }),

    async getTestSession({ accountId, params }) {
      const session = await testSessions.get(accountId, params.testSessionId);
      if (!session) throw notFound(`test session ${params.testSessionId}`);
      return session;
    },

    async awaitTestSession({ accountId, params, query, signal }) {
      const { testSessionId } = params;
      const session = await awaitCompletion(signal, stopping, (either) =>
        testSessions.await(accountId, testSessionId, query.maxWaitSeconds * 1000, either),
      );
      if (!session) throw notFound(`test session ${testSessionId}`);
      return session;
    },

    async cancelTestSession({ accountId, params }) {
      const isCancelled = await testSessions.cancel(accountId, params.testSessionId);
      if (!isCancelled) throw notFound(`test session ${params.testSessionId}`);
      return undefined;
    },
  } satisfies HandlersFor<
    'triggerTestSessions' | 'listTestSessions' | 'getTestSession' | 'awaitTestSession' | 'cancelTestSession'
  >;
}

/** Test sessions: checks run as a test, without alerts. Endpoint 10. */
import type { HandlerContext, HandlersFor } from './context.ts';
import { invalid, notFound } from './problem.ts';
import { locationViolations, nothingToRun } from './references.ts';
import { completion } from './waiting.ts';

export function testSessionHandlers(context: HandlerContext) {
  const { engine, stopping } = context;
  const { testSessions } = engine;
  return {
    async triggerTestSessions({ accountId, body }) {
      const found = await locationViolations(context.store, accountId, body.runLocation);
      if (found.length > 0) throw invalid(found);
      const session = await testSessions.start({ ...body, accountId });
      if (!session) throw notFound(await nothingToRun(context.store, accountId, body.target?.checkId));
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
      const session = await completion(signal, stopping, (either) =>
        testSessions.await(accountId, testSessionId, query.maxWaitSeconds * 1000, either),
      );
      if (!session) throw notFound(`test session ${testSessionId}`);
      return session;
    },

    async cancelTestSession({ accountId, params }) {
      const found = await testSessions.cancel(accountId, params.testSessionId);
      if (!found) throw notFound(`test session ${params.testSessionId}`);
      return undefined;
    },
  } satisfies HandlersFor<
    'triggerTestSessions' | 'listTestSessions' | 'getTestSession' | 'awaitTestSession' | 'cancelTestSession'
  >;
}

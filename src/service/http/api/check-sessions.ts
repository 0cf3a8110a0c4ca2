/** Handles check sessions: starts, reads, awaits and cancels them. Endpoints 8 and 9. */
import { isTerminal, type SessionStatus } from '../../engine/sessions/states.ts';
import { awaitCompletion } from '../server/long-poll.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { conflict, Problem, requireFound } from './problem.ts';
import { noCheckToRunMessage } from './references.ts';

export function checkSessionHandlers({ store, engine, stopping }: HandlerContext) {
  return {
    async triggerCheckSessions({ accountId, body }) {
      const sessions = await engine.startSessions({
        accountId,
        runSource: 'TRIGGER_API',
        ...(body.target ? { target: body.target } : {}),
      });
      if (sessions.length === 0)
        throw new Problem(404, await noCheckToRunMessage(store, accountId, body.target?.checkId));
      return { sessions };
    },

    listCheckSessions: ({ accountId, query }) => engine.listSessions({ ...query, accountId }),

    async getCheckSession({ accountId, params }) {
      return requireFound(
        await engine.getSession(accountId, params.checkSessionId),
        `check session ${params.checkSessionId}`,
      );
    },

    async awaitCheckSession({ accountId, params, query, signal }) {
      const { checkSessionId } = params;
      const ended = await awaitCompletion(signal, stopping, (either) =>
        engine.awaitSession(accountId, checkSessionId, query.maxWaitSeconds * 1000, either),
      );
      const session = requireFound(ended, `check session ${checkSessionId}`);
      const { stoppedAt } = session;
      if (stoppedAt === null) throw new Error(`Check session ${checkSessionId} ended without an end`);
      return { ...session, stoppedAt };
    },

    async cancelCheckSession({ accountId, params }) {
      const session = requireFound(
        await engine.getSession(accountId, params.id),
        `check session ${params.id}`,
      );
      const { status } = session;
      if (isTerminal(status as SessionStatus) && status !== 'CANCELLED')
        throw conflict(`Check session ${params.id} has already ended (${status}) and cannot be cancelled`);
      await engine.cancelSession(accountId, params.id);
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** Starts, reads, awaits and cancels check sessions for the API. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import type { Links } from '../links.ts';
import { type EndNotifier, waitForEnd } from './end-notifier.ts';
import type { Engine, StartedCheckSession } from './interface.ts';
import type { PlannedSession } from './plan-session.ts';
import { toStartedSession } from './responses.ts';
import type { SessionCommands } from './session-commands.ts';
import type { SessionReader } from './session-reader.ts';
import { type PlanContext, startGroup, startTargeted } from './start-sessions.ts';
import { isTerminal, type SessionStatus } from './states.ts';

export interface SessionsOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly links: Links;
  readonly reader: SessionReader;
  readonly endNotifier: EndNotifier;
  readonly commands: SessionCommands;
  /** Starts sessions in one transaction, and wakes the workers. */
  readonly plan: <T extends { readonly planned: readonly PlannedSession[] }>(
    start: (data: EngineData, context: PlanContext) => Promise<T>,
  ) => Promise<T>;
}

type CheckSessions = Pick<
  Engine,
  'startSessions' | 'startGroup' | 'getSession' | 'awaitSession' | 'listSessions' | 'cancelSession'
>;

export function createCheckSessions({
  store,
  clock,
  links,
  reader,
  endNotifier,
  commands,
  plan,
}: SessionsOptions): CheckSessions {
  async function startChecks(
    start: (data: EngineData, context: PlanContext) => Promise<PlannedSession<string>[]>,
  ): Promise<StartedCheckSession[]> {
    const { planned } = await plan(async (data, context) => ({ planned: await start(data, context) }));
    return planned.map(({ session }) => toStartedSession(session, clock.now(), links));
  }

  return {
    startSessions: (request) => startChecks((data, context) => startTargeted(data, context, request)),
    startGroup: (request) => startChecks((data, context) => startGroup(data, context, request)),
    getSession: reader.session,
    awaitSession: (accountId, id, maxWaitMs, signal) =>
      waitForEnd({
        id,
        endNotifier,
        clock,
        maxWaitMs,
        signal,
        read: () => reader.session(accountId, id),
        hasEnded: ({ status }) => isTerminal(status as SessionStatus),
      }),
    listSessions: reader.listSessions,
    async cancelSession(accountId, id) {
      if ((await store.sessions.get(accountId, id)) === undefined) return false;
      await commands.cancel([id]);
      return true;
    },
  };
}

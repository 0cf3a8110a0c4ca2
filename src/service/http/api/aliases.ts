/** Handles older and newer paths with the handlers of the endpoints that they repeat. */
import type { Handlers } from './handler.ts';

type Repeated =
  | 'awaitCheckSession'
  | 'getAccount'
  | 'getCheck'
  | 'getCheckSession'
  | 'listAccounts'
  | 'listChecks'
  | 'triggerCheckSessions'
  | 'updateIncident';

export function aliasHandlers(handlers: Pick<Handlers, Repeated>) {
  return {
    triggerCheckSessionsV1: handlers.triggerCheckSessions,
    getCheckSessionV1: handlers.getCheckSession,
    awaitCheckSessionV1: handlers.awaitCheckSession,
    listChecksV2: handlers.listChecks,
    getCheckV2: handlers.getCheck,
    listChecksV3: handlers.listChecks,
    getCheckV3: handlers.getCheck,
    listAccountsNext: handlers.listAccounts,
    getAccountNext: handlers.getAccount,
    patchIncident: handlers.updateIncident,
  } satisfies Partial<Handlers>;
}

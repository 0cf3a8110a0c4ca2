/** Asks the service about sessions through the client: one request a question, and what came of it as the loop wants it told. */
import { ApiError, NetworkError } from '../../base/errors.ts';
import { type Client, RefusedError } from '../../client/index.ts';
import {
  awaitCheckSession,
  awaitTestSession,
  getCheckSession,
  getTestSession,
} from '../../contract/index.ts';
import { type SessionAnswer, usableBody } from './answer.ts';
import type { Answer, Ask } from './wait.ts';

/** What a long poll may take beyond its own wait, in ms. */
const ANSWER_GRACE_MS = 10_000;
/** What a session may be long, in bytes: a result is a few hundred. Fifty of a deployment gone mad must find room, too. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Statuses that may pass by themselves. To a poll 408 is none: it is the ordinary end of its wait. */
const PASSING = (status: number): boolean => status === 408 || status === 429 || status >= 500;
/** What a deployment may answer to a route that it does not have. */
const NO_ROUTE = [404, 405, 501];

/** How one kind of session is asked about. */
interface Questions {
  /** The session as it is now. */
  readonly look: (id: string, options: Options) => Promise<SessionAnswer>;
  /** The session at its end, or 408. */
  readonly poll: (id: string, maxWaitSeconds: number, options: Options) => Promise<SessionAnswer>;
  /** Whether there are deployments without the long poll. */
  readonly pollMayBeMissing: boolean;
}
interface Options {
  readonly signal: AbortSignal;
  readonly retry: false;
  readonly maxBytes: number;
  readonly answerTimeoutMs?: number;
}

/** Asks about check sessions (endpoints 9 and 8). */
export const askCheckSessions = (client: Client): Ask =>
  asker({
    look: (checkSessionId, options) => client.call(getCheckSession, { params: { checkSessionId } }, options),
    poll: (checkSessionId, maxWaitSeconds, options) =>
      client.call(awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds } }, options),
    pollMayBeMissing: false,
  });

/** Asks about test sessions (endpoint 10, and the long poll that only some deployments have). */
export const askTestSessions = (client: Client): Ask =>
  asker({
    look: (testSessionId, options) => client.call(getTestSession, { params: { testSessionId } }, options),
    poll: (testSessionId, maxWaitSeconds, options) =>
      client.call(awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds } }, options),
    pollMayBeMissing: true,
  });

function asker({ look, poll, pollMayBeMissing }: Questions): Ask {
  return async (id, maxWaitSeconds, signal): Promise<Answer> => {
    const isPoll = maxWaitSeconds > 0;
    const shared: Options = { signal, retry: false, maxBytes: MOST_BYTES };
    try {
      const answer = isPoll
        ? await poll(id, maxWaitSeconds, {
            ...shared,
            answerTimeoutMs: maxWaitSeconds * 1000 + ANSWER_GRACE_MS,
          })
        : await look(id, shared);
      return { kind: 'body', body: usableBody(answer) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof NetworkError) return { kind: 'fault', error };
      if (!(error instanceof ApiError)) throw error;
      const { status } = error;
      const retryAfterMs = error instanceof RefusedError ? error.retryAfterMs : undefined;
      if (isPoll && status === 408) return { kind: 'pending', retryAfterMs };
      if (isPoll && pollMayBeMissing && NO_ROUTE.includes(status)) return { kind: 'no poll', error };
      if (PASSING(status)) return { kind: 'fault', error, retryAfterMs, limited: status === 429 };
      return { kind: 'refused', error };
    }
  };
}

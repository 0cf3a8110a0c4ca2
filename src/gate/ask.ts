/** Asks the service about sessions through the client: what came of it, as the loop wants it told. */
import { ApiError, NetworkError } from '../base/errors.ts';
import { type Client, RefusedError } from '../client/index.ts';
import { awaitCheckSession, awaitTestSession, getCheckSession, getTestSession } from '../contract/index.ts';
import { type SessionAnswer, usableBody } from './answer.ts';
import type { Answer, Ask } from './wait.ts';

/** What a long poll may take beyond its own wait, in ms. */
const ANSWER_GRACE_MS = 10_000;
/** Statuses that may pass by themselves; 408 is none: it is the poll's ordinary end. */
const PASSING = (status: number): boolean => status === 429 || status >= 500;

/** How one kind of session is asked about. */
interface Questions {
  /** The session as it is now. */
  readonly look: (id: string, signal: AbortSignal) => Promise<SessionAnswer>;
  /** The session at its end, or 408. */
  readonly wait: (id: string, maxWaitSeconds: number, signal: AbortSignal) => Promise<SessionAnswer>;
}

/** Asks about check sessions (endpoints 9 and 8). `live`: look at a session after each poll that ended without it. */
export function askCheckSessions(client: Client, live: boolean): Ask {
  return asker(
    {
      look: (checkSessionId, signal) =>
        client.call(getCheckSession, { params: { checkSessionId } }, { signal, retry: false }),
      wait: (checkSessionId, maxWaitSeconds, signal) =>
        client.call(
          awaitCheckSession,
          { params: { checkSessionId }, query: { maxWaitSeconds } },
          { signal, retry: false, answerTimeoutMs: maxWaitSeconds * 1000 + ANSWER_GRACE_MS },
        ),
    },
    live,
  );
}

/** Asks about test sessions: by long poll where the deployment offers it, else by looking with growing pauses. */
export function askTestSessions(client: Client, live: boolean): Ask {
  return asker(
    {
      look: (testSessionId, signal) =>
        client.call(getTestSession, { params: { testSessionId } }, { signal, retry: false }),
      wait: (testSessionId, maxWaitSeconds, signal) =>
        client.call(
          awaitTestSession,
          { params: { testSessionId }, query: { maxWaitSeconds } },
          { signal, retry: false, answerTimeoutMs: maxWaitSeconds * 1000 + ANSWER_GRACE_MS },
        ),
    },
    live,
  );
}

/** The pauses between looks at a deployment without long polls: doubled from the first to the last, in ms. */
const FIRST_LOOK_MS = 1_000;
const LAST_LOOK_MS = 10_000;

function asker({ look, wait }: Questions, live: boolean): Ask {
  let longPolls = true;
  const looks = new Map<string, number>();
  const lookAgain = async (id: string, signal: AbortSignal): Promise<Answer> => {
    const count = looks.get(id) ?? 0;
    looks.set(id, count + 1);
    const pause = Math.min(LAST_LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(count, 10));
    return { kind: 'body', body: usableBody(await look(id, signal)), retryAfterMs: pause };
  };
  return async (id, maxWaitSeconds, signal) => {
    try {
      if (maxWaitSeconds === 0) return { kind: 'body', body: usableBody(await look(id, signal)) };
      if (!longPolls) return await lookAgain(id, signal);
      return { kind: 'body', body: usableBody(await wait(id, maxWaitSeconds, signal)) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof NetworkError) return { kind: 'fault', error };
      if (!(error instanceof ApiError)) throw error;
      const retryAfterMs = error instanceof RefusedError ? error.retryAfterMs : undefined;
      if (error.status === 408) {
        const seen = live ? await peek(look, id, signal) : undefined;
        return seen === undefined
          ? { kind: 'pending', retryAfterMs }
          : { kind: 'body', body: seen, retryAfterMs };
      }
      if (PASSING(error.status)) return { kind: 'fault', error, retryAfterMs };
      if ((error.status === 404 || error.status === 405) && longPolls && maxWaitSeconds > 0) {
        // Is it the session that is unknown, or only the long poll?
        const seen = await peek(look, id, signal);
        if (seen !== undefined) {
          longPolls = false;
          return { kind: 'body', body: seen };
        }
      }
      return { kind: 'refused', error };
    }
  };
}

/** The session as it is now, or undefined where that can't be had: a look is never worth a fault. */
async function peek(look: Questions['look'], id: string, signal: AbortSignal): Promise<unknown> {
  try {
    return usableBody(await look(id, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

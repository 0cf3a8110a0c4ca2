/** Polls sessions with the HTTP client, and classifies each response for the wait loop. */
import { ApiError, NetworkError } from '../../base/errors.ts';
import { type Client, RefusedError, readCursor } from '../../client/index.ts';
import {
  awaitCheckSession,
  awaitTestSession,
  getCheckSession,
  getTestSession,
  listCheckSessions,
} from '../../contract/index.ts';
import { shortName } from '../words/text.ts';
import type { ReadList } from './list-sweep.ts';
import { readQuota } from './pace.ts';
import type { Poll, PollResult } from './wait-for-session.ts';

/** Time allowed for the response of a long poll beyond its own wait, in ms. */
const ANSWER_GRACE_MS = 10_000;
/** Maximum size of a session in bytes; fifty such bodies must fit into memory. A result has a few hundred bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Statuses of temporary errors. For a long poll, 408 is the ordinary end of its wait. */
const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;
/** Statuses with which a deployment may answer an unknown route. */
const NO_ROUTE_STATUSES = [404, 405, 501];

/** The requests for one kind of session. */
interface SessionRequests {
  /** Returns the current state of the session. */
  readonly look: (id: string, options: Options) => Promise<SessionAnswer>;
  /** Returns the session when it ends, or 408. */
  readonly poll: (id: string, maxWaitSeconds: number, options: Options) => Promise<SessionAnswer>;
  /** Whether some deployments do not offer the long poll. */
  readonly pollMayBeMissing: boolean;
}
interface Options {
  readonly signal: AbortSignal;
  readonly retry: false;
  readonly maxBytes: number;
  readonly answerTimeoutMs?: number;
}

/** Polls check sessions (endpoints 9 and 8), and reads their list, whose entries are whole sessions. */
export const pollCheckSessions = (client: Client): Poll => {
  const poll = createPoll({
    look: (checkSessionId, options) => client.call(getCheckSession, { params: { checkSessionId } }, options),
    poll: (checkSessionId, maxWaitSeconds, options) =>
      client.call(awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds } }, options),
    pollMayBeMissing: false,
  });
  return Object.assign(poll, { list: listCheckSessionsOf(client) });
};

/** Reads the list of check sessions: the client follows its pages, and rejects a list that repeats or lacks some. */
const listCheckSessionsOf = (client: Client): ReadList =>
  async function* (from, signal) {
    const query = from === undefined ? {} : { nextId: from };
    const options = { all: true, signal, retry: false, answerTimeoutMs: ANSWER_GRACE_MS };
    try {
      for await (const { entries, answer } of client.pages(listCheckSessions, { query }, options)) {
        const { nextId } = usableBody(answer) as { readonly nextId?: unknown };
        yield { entries, nextId: readCursor(nextId), quota: readQuota(answer.headers) };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof NetworkError) return yield { kind: 'fault' };
      if (!(error instanceof ApiError)) throw error;
      const retryAfterMs = error instanceof RefusedError ? error.retryAfterMs : undefined;
      const isMissing = !isTransient(error.status) || NO_ROUTE_STATUSES.includes(error.status);
      const isLimited = error.status === 429 || retryAfterMs !== undefined;
      yield isMissing
        ? { kind: 'missing' }
        : isLimited
          ? { kind: 'limited', retryAfterMs }
          : { kind: 'fault' };
    }
  };

/** Polls test sessions (endpoint 10, and the long poll that only some deployments have). */
export const pollTestSessions = (client: Client): Poll =>
  createPoll({
    look: (testSessionId, options) => client.call(getTestSession, { params: { testSessionId } }, options),
    poll: (testSessionId, maxWaitSeconds, options) =>
      client.call(awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds } }, options),
    pollMayBeMissing: true,
  });

function createPoll({ look, poll, pollMayBeMissing }: SessionRequests): Poll {
  return async (id, maxWaitSeconds, signal): Promise<PollResult> => {
    const isPoll = maxWaitSeconds > 0;
    const shared: Options = { signal, retry: false, maxBytes: MAX_BYTES };
    try {
      const answer = isPoll
        ? await poll(id, maxWaitSeconds, {
            ...shared,
            answerTimeoutMs: maxWaitSeconds * 1000 + ANSWER_GRACE_MS,
          })
        : await look(id, shared);
      const quota = readQuota(answer.headers);
      return { kind: 'body', body: usableBody(answer), quota };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof NetworkError) return { kind: 'fault', error };
      if (!(error instanceof ApiError)) throw error;
      const { status } = error;
      const retryAfterMs = error instanceof RefusedError ? error.retryAfterMs : undefined;
      if (isPoll && status === 408) return { kind: 'pending', retryAfterMs };
      if (isPoll && pollMayBeMissing && NO_ROUTE_STATUSES.includes(status)) return { kind: 'no poll', error };
      if (isTransient(status)) return { kind: 'fault', error, retryAfterMs, limited: status === 429 };
      return { kind: 'refused', error };
    }
  };
}

/** The parts of a client response that are validated. */
export interface SessionAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The body as received. */
  readonly text: string;
}

/** A session has a few levels. A body that is far deeper cannot be printed and is not from the API. */
const MAX_DEPTH = 200;

/**
 * Returns the body of a 200. Throws NetworkError for any other success status (a proxy may have changed it), for an object with
 * a repeated field (it would be ambiguous), and for excessive nesting.
 */
export function usableBody({ status, body, text }: Omit<SessionAnswer, 'headers'>): unknown {
  if (status !== 200) throw new NetworkError(`the response has status ${status} instead of 200`, { status });
  const problem = findProblem(text);
  if (problem !== undefined) throw new NetworkError(`the response ${problem}`, { status });
  return body;
}

/** Returns why a JSON text is ambiguous or too deep; undefined if it is fine. */
export function findProblem(json: string): string | undefined {
  // The names of each open object; undefined for a list, and for an object without one so far.
  const open: (Set<string> | undefined)[] = [];
  let last: readonly [number, number] = [0, 0];
  // Jumps from token to token and skips strings of any length at once.
  const marks = /["{}[\]:]/g;
  for (let mark = marks.exec(json); mark; mark = marks.exec(json)) {
    const [token] = mark;
    if (token === '"') {
      marks.lastIndex = endOfString(json, mark.index);
      last = [mark.index, marks.lastIndex];
    } else if (token === '{' || token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else {
      const name = JSON.parse(json.slice(...last)) as string;
      const names = open.at(-1) ?? new Set();
      if (names.has(name)) return `names ${shortName(name)} twice`;
      open[open.length - 1] = names.add(name);
    }
    if (open.length > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  }
  return undefined;
}

/** Returns the index after the closing quotation mark of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  const ends = /["\\]/g;
  ends.lastIndex = start + 1;
  for (let end = ends.exec(json); end; end = ends.exec(json)) {
    if (end[0] === '"') return ends.lastIndex;
    ends.lastIndex += 1;
  }
  return json.length;
}

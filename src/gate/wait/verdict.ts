/** Reads the verdict of a session from a response, and maps it to an exit code. */
import { EXIT } from '../../base/exits.ts';
import { isObject } from '../../base/object.ts';
import type { CheckSession, CheckSessionResult, TestSession } from '../../contract/resources/session.ts';

/** How a session ended. The user decides whether `degraded` is good. */
export type Verdict = 'passed' | 'failed' | 'degraded' | 'timed out' | 'cancelled';

/** A kind of session that a gate can wait for. */
export interface SessionKind {
  readonly noun: 'check session' | 'test session';
  /** The field that names the session. */
  readonly idField: 'checkSessionId' | 'testSessionId';
  /** Whether this process runs the sessions, so that no command can read them later. */
  readonly isLocal?: true;
  /** The final statuses. Every other status, known or not, counts as still running. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

export const checkSessions: SessionKind = {
  noun: 'check session',
  idField: 'checkSessionId',
  verdicts: {
    PASSED: 'passed',
    FAILED: 'failed',
    DEGRADED: 'degraded',
    TIMED_OUT: 'timed out',
    CANCELLED: 'cancelled',
  },
};

/** Check sessions that this process runs. */
export const localSessions: SessionKind = { ...checkSessions, isLocal: true };

export const testSessions: SessionKind = {
  noun: 'test session',
  idField: 'testSessionId',
  verdicts: { PASSED: 'passed', FAILED: 'failed', CANCELLED: 'cancelled' },
};

type TestSessionResult = NonNullable<TestSession['results']>[number];

/** A result of either kind of session; their field names differ. */
export type SessionResult = CheckSessionResult &
  Pick<
    TestSessionResult,
    | 'testSessionResultId'
    | 'testSessionResultLink'
    | 'errorGroupIds'
    | 'errors'
    | 'playwrightCheckResult'
    | 'status'
  > & {
    /** Milliseconds; only in results of this process. */
    readonly responseTime?: number | null;
  };

/** A session of either kind as received, with unknown fields. */
export type SessionBody = Partial<Omit<CheckSession, 'status' | 'results'>> &
  Partial<Pick<TestSession, 'testSessionLink' | 'errorGroupIds'>> & {
    readonly status: string;
    readonly results?: readonly SessionResult[];
  };

export type SessionReading =
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'running'; readonly session: SessionBody }
  | EndedSession;

/** A session that ended. */
export interface EndedSession {
  readonly kind: 'ended';
  readonly session: SessionBody;
  readonly verdict: Verdict;
  /** How its results contradict its status, if they do. */
  readonly contradiction?: string;
}

/** Reads the status from the body of a 200, to show it. A gate also judges the results: `judgeSession`. */
export function readSession(kind: SessionKind, id: string, body: unknown): SessionReading {
  if (!isObject(body)) return { kind: 'unusable', why: 'the response is not a JSON object' };
  const bodyId = body[kind.idField];
  if (typeof bodyId !== 'string' || bodyId.toLowerCase() !== id.toLowerCase()) {
    return { kind: 'unusable', why: `the response is not for the ${kind.noun} ${id}` };
  }
  const { status } = body;
  if (typeof status !== 'string') return { kind: 'unusable', why: 'the response has no status' };
  const session = body as unknown as SessionBody;
  const verdict = Object.hasOwn(kind.verdicts, status) ? kind.verdicts[status] : undefined;
  return verdict ? { kind: 'ended', session, verdict } : { kind: 'running', session };
}

/** Returns the exit code of a verdict: 0 good, 1 bad, 8 cancelled. */
export function exitCodeOf(verdict: Verdict, failOnDegraded: boolean): number {
  switch (verdict) {
    case 'passed':
      return EXIT.done;
    case 'degraded':
      return failOnDegraded ? EXIT.badVerdict : EXIT.done;
    case 'failed':
    case 'timed out':
      return EXIT.badVerdict;
    case 'cancelled':
      return EXIT.cancelled;
    default:
      return verdict satisfies never;
  }
}

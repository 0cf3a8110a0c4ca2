/** What an answer says about a session: a verdict only where it is a usable answer about the session that was asked for. */
import { EXIT } from '../../base/exits.ts';
import { isObject } from '../../base/object.ts';
import type { CheckSession, CheckSessionResult, TestSession } from '../../contract/resources/session.ts';

/** A session's end, or how far it got. `degraded` is good or bad as the user decides. */
export type Verdict = 'passed' | 'failed' | 'degraded' | 'timed out' | 'cancelled';

/** The two kinds of session that a gate can hang on. */
export interface SessionKind {
  readonly noun: 'check session' | 'test session';
  /** The field that names the session. */
  readonly idField: 'checkSessionId' | 'testSessionId';
  /** The statuses that never change again. Any other, known or not, counts as still running. */
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

export const testSessions: SessionKind = {
  noun: 'test session',
  idField: 'testSessionId',
  verdicts: { PASSED: 'passed', FAILED: 'failed', CANCELLED: 'cancelled' },
};

type TestSessionResult = NonNullable<TestSession['results']>[number];

/** A result of either kind of session: each names itself in its own way. */
export type SessionResult = CheckSessionResult &
  Pick<
    TestSessionResult,
    'testSessionResultId' | 'testSessionResultLink' | 'errorGroupIds' | 'errors' | 'playwrightCheckResult'
  >;

/** A session of either kind as an answer carried it: unknown fields kept. */
export type SessionBody = Partial<Omit<CheckSession, 'status' | 'results'>> &
  Partial<Pick<TestSession, 'testSessionLink' | 'errorGroupIds'>> & {
    readonly status: string;
    readonly results?: readonly SessionResult[];
  };

export type Reading =
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'running'; readonly session: SessionBody }
  | { readonly kind: 'ended'; readonly session: SessionBody; readonly verdict: Verdict };

/** Reads the body of a 200. The status alone is the verdict; results only explain it. */
export function readSession(kind: SessionKind, id: string, body: unknown): Reading {
  if (!isObject(body)) return { kind: 'unusable', why: 'the response is not a JSON object' };
  const told = body[kind.idField];
  if (typeof told !== 'string' || told.toLowerCase() !== id.toLowerCase()) {
    return { kind: 'unusable', why: `the response is not for the ${kind.noun} ${id}` };
  }
  const { status } = body;
  if (typeof status !== 'string') return { kind: 'unusable', why: 'the response has no status' };
  const session = body as unknown as SessionBody;
  const verdict = Object.hasOwn(kind.verdicts, status) ? kind.verdicts[status] : undefined;
  return verdict ? { kind: 'ended', session, verdict } : { kind: 'running', session };
}

/** The exit code of a verdict: 0 good, 1 bad, 8 cancelled. */
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

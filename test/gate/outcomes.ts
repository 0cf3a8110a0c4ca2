/** Outcomes of gates for the tests of what is made of them. */
import { ApiError, NetworkError } from '../../src/base/errors.ts';
import { checkSessions, exitCodeOf, type SessionBody, testSessions } from '../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../src/gate/wait/wait-for-sessions.ts';

/** The id of the nth of something. */
export const idOf = (number: number): string => `0b5b2c1e-0000-4000-8000-${String(number).padStart(12, '0')}`;

export interface ResultOf {
  readonly at: string;
  readonly is?: 'passed' | 'failed' | 'error' | 'degraded' | 'cancelled';
  readonly id?: string;
  readonly more?: object;
}

/** A session of a check with the name, with a result a location. */
export const sessionWith = (
  number: number,
  status: string,
  results: readonly ResultOf[],
  more: object = {},
): SessionBody =>
  ({
    checkSessionId: idOf(number),
    checkId: idOf(1000 + number),
    name: `Check ${number}`,
    status,
    startedAt: '2026-11-21T08:00:00.000Z',
    stoppedAt: '2026-11-21T08:00:12.000Z',
    timeElapsed: 12_000,
    runLocations: results.map(({ at }) => at),
    results: results.map(({ at, is = 'passed', id, more: fields = {} }, index) => ({
      checkResultId: id ?? idOf(number * 10_000 + index),
      checkId: idOf(1000 + number),
      name: `Check ${number}`,
      runLocation: at,
      hasErrors: is === 'error',
      hasFailures: is === 'failed',
      isDegraded: is === 'degraded',
      isCancelled: is === 'cancelled',
      resultType: 'FINAL',
      ...fields,
    })),
    ...more,
  }) as SessionBody;

/** A session that was seen to end. */
export function ended(session: SessionBody, failOnDegraded = false): GateOutcome {
  const { checkSessionId, testSessionId } = session as { checkSessionId?: string; testSessionId?: string };
  const kind = testSessionId === undefined ? checkSessions : testSessions;
  const verdict = kind.verdicts[session.status];
  if (!verdict) throw new Error(`${session.status} is no end`);
  return {
    id: checkSessionId ?? testSessionId ?? '',
    outcome: { kind: 'ended', verdict, session },
    exitCode: exitCodeOf(verdict, failOnDegraded),
  };
}

/** A session that passed at some locations. */
export const passed = (number: number, ...at: readonly string[]): GateOutcome =>
  ended(
    sessionWith(
      number,
      'PASSED',
      at.map((each) => ({ at: each })),
    ),
  );

/** A session that failed at some locations. */
export const failed = (number: number, ...at: readonly string[]): GateOutcome =>
  ended(
    sessionWith(
      number,
      'FAILED',
      at.map((each) => ({ at: each, is: 'failed' })),
    ),
  );

export const refused = (number: number, status: number, message = 'no such session'): GateOutcome => {
  const error = new ApiError(message, { status, endpoint: 'GET /x' });
  return { id: idOf(number), outcome: { kind: 'refused', error }, exitCode: error.exitCode };
};
export const outOfReach = (number: number): GateOutcome => ({
  id: idOf(number),
  outcome: { kind: 'fault', error: new NetworkError('the service could not be reached') },
  exitCode: 6,
});
export const atDeadline = (number: number, session?: SessionBody): GateOutcome => ({
  id: idOf(number),
  outcome: { kind: 'deadline', session },
  exitCode: 7,
});
export const left = (number: number, session?: SessionBody): GateOutcome => ({
  id: idOf(number),
  outcome: { kind: 'left', session },
  exitCode: 7,
});

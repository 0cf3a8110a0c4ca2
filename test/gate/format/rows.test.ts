/** The rows of a gate's end: one for each location that a verdict hangs on, what keeps it from being green first. */
import { describe, expect, test } from 'vitest';
import { isNotAwaited, rowsOf } from '../../../src/gate/format/rows.ts';
import { summary as sentence } from '../../../src/gate/format/sentence.ts';
import { checkSessions, type SessionBody } from '../../../src/gate/wait/verdict.ts';
import { costOf } from '../../support/cost.ts';
import { atDeadline, ended, failed, idOf, left, passed, refused, sessionWith } from '../outcomes.ts';

const summary = (...outcomes: Parameters<typeof rowsOf>[0]) =>
  rowsOf(outcomes).map(({ result, runLocation, isBad }) => [result, runLocation, isBad]);

describe('rows', () => {
  test('are one a location, in the order of the session, what failed first', () => {
    const some = sessionWith(2, 'FAILED', [
      { at: 'us-east-1' },
      { at: 'eu-west-1', is: 'failed' },
      { at: 'ap-south-1', is: 'error' },
    ]);
    expect(summary(passed(1, 'eu-west-1', 'us-east-1'), ended(some))).toEqual([
      ['FAILED', 'eu-west-1', true],
      ['ERROR', 'ap-south-1', true],
      ['PASSED', 'eu-west-1', false],
      ['PASSED', 'us-east-1', false],
      ['PASSED', 'us-east-1', false],
    ]);
  });

  test('that keep the gate from being green come before a failed result of a session that passed', () => {
    const odd = sessionWith(1, 'PASSED', [{ at: 'eu-west-1', is: 'failed' }]);
    expect(summary(ended(odd), refused(2, 404))).toEqual([
      ['NOT_FOUND', undefined, true],
      ['FAILED', 'eu-west-1', false],
    ]);
  });

  test('have the reason of a degraded result, which is its last note', () => {
    const session = sessionWith(1, 'DEGRADED', [{ at: 'eu-west-1', is: 'degraded' }]);
    const urlCheckResult = {
      notes: ['the server ends lines with a bare LF', 'took 2 s (degraded from 1 s)'],
    };
    const results = (session.results ?? []).map((result) => ({ ...result, urlCheckResult }));
    expect(rowsOf([ended({ ...session, results })])[0]?.error).toBe('took 2 s (degraded from 1 s)');
    expect(rowsOf([ended(session)])[0]?.error).toBeUndefined();
  });

  test('are bad for being degraded only where that made the session bad', () => {
    const degraded = sessionWith(1, 'DEGRADED', [{ at: 'eu-west-1', is: 'degraded' }]);
    const both = sessionWith(2, 'FAILED', [
      { at: 'eu-west-1', is: 'degraded' },
      { at: 'us-east-1', is: 'failed' },
    ]);
    expect(summary(ended(degraded))).toEqual([['DEGRADED', 'eu-west-1', false]]);
    expect(summary(ended(degraded, true))).toEqual([['DEGRADED', 'eu-west-1', true]]);
    expect(summary(ended(both))).toEqual([
      ['FAILED', 'us-east-1', true],
      ['DEGRADED', 'eu-west-1', false],
    ]);
  });

  test('are owed to locations without a result where the session did not end well', () => {
    const timedOut = sessionWith(1, 'TIMED_OUT', [{ at: 'eu-west-1' }], {
      runLocations: ['eu-west-1', 'us-east-1'],
    });
    expect(summary(ended(timedOut))).toEqual([
      ['TIMED_OUT', 'us-east-1', true],
      ['PASSED', 'eu-west-1', false],
    ]);
    const running = { ...timedOut, status: 'PROGRESS' } as SessionBody;
    expect(rowsOf([atDeadline(1, running)])[0]).toMatchObject({
      result: 'PROGRESS',
      runLocation: 'us-east-1',
      isBad: true,
      error: 'still running at the deadline',
    });
  });

  test('tell how long a session took only where it was seen to end: a running one had been asked about early', () => {
    const running = sessionWith(1, 'STARTED', [], { timeElapsed: 4, stoppedAt: null });
    expect(rowsOf([atDeadline(1, running)])[0]?.timeElapsed).toBeUndefined();
    expect(rowsOf([ended(sessionWith(1, 'PASSED', [{ at: 'eu-west-1' }]))])[0]?.timeElapsed).toBe(12_000);
  });

  test('of a session that still runs say nothing bad of a location that has no result yet', () => {
    const locations = { runLocations: ['eu-west-1', 'us-east-1'], stoppedAt: null };
    const running = sessionWith(1, 'PROGRESS_FAILED', [{ at: 'eu-west-1', is: 'failed' }], locations);
    expect(summary(atDeadline(1, running))).toEqual([
      ['FAILED', 'eu-west-1', true],
      ['PROGRESS', 'us-east-1', true],
    ]);
  });

  test('name the one location of a session that has no result', () => {
    const timedOut = sessionWith(1, 'TIMED_OUT', [], { runLocations: ['eu-west-1'] });
    expect(summary(ended(timedOut))).toEqual([['TIMED_OUT', 'eu-west-1', true]]);
  });

  test('never hide a bad session behind results that all passed', () => {
    expect(summary(ended(sessionWith(1, 'FAILED', [{ at: 'eu-west-1' }])))).toEqual([
      ['FAILED', undefined, true],
      ['PASSED', 'eu-west-1', false],
    ]);
    const renamed = sessionWith(1, 'TIMED_OUT', [{ at: 'Ireland' }], {
      runLocations: ['eu-west-1', 'us-east-1'],
    });
    expect(summary(ended(renamed))).toEqual([
      ['TIMED_OUT', undefined, true],
      ['PASSED', 'Ireland', false],
    ]);
  });

  test('stand once for a session that was given twice', () => {
    const one = failed(1, 'eu-west-1');
    expect(rowsOf([one, one])).toHaveLength(1);
  });

  test('of sessions that nobody waited for come after all that is bad', () => {
    const rows = rowsOf([left(1), failed(2, 'eu-west-1'), passed(3, 'eu-west-1')]);
    expect(rows.map(isNotAwaited)).toEqual([false, true, false]);
    expect(rows[1]).toMatchObject({ result: 'UNKNOWN', session: idOf(1), error: 'not awaited' });
  });

  test('of test sessions carry the ids and links that those have', () => {
    const session = {
      testSessionId: idOf(1),
      testSessionLink: 'https://app.example/s',
      name: 'Before release',
      status: 'FAILED',
      results: [
        { testSessionResultId: idOf(7), testSessionResultLink: 'https://app.example/r', hasFailures: true },
        { testSessionResultId: idOf(8), checkId: null, hasFailures: true },
      ],
    } as unknown as SessionBody;
    expect(rowsOf([ended(session)])).toMatchObject([
      { resultId: idOf(7), link: 'https://app.example/r' },
      { resultId: idOf(8), link: 'https://app.example/s', checkId: undefined },
    ]);
  });

  test('are made of whatever an answer holds, attempts left out', () => {
    const results = [
      null,
      'x',
      7,
      { resultType: 'ATTEMPT', hasFailures: true },
      { name: 7, runLocation: {} },
    ];
    const session = { ...sessionWith(1, 'FAILED', []), results, runLocations: 'eu', timeElapsed: 'long' };
    expect(rowsOf([ended(session as unknown as SessionBody)])).toMatchObject([
      { result: 'FAILED', isBad: true, timeElapsed: undefined },
      { result: 'PASSED', name: 'Check 1', runLocation: undefined },
    ]);
  });

  test('tell a refusal in one line, however long or hostile it is', () => {
    const [row] = rowsOf([refused(1, 400, `\u001b[2Jno\u202e way\nsecond\n${'x'.repeat(9_000)}`)]);
    expect(row?.error).toBe('no way');
    const [long] = rowsOf([refused(1, 400, 'x'.repeat(9_000))]);
    expect(long?.error).toHaveLength(500);
  });

  test('of many results at places that the session does not name cost the same each', () => {
    const make = (length: number) => {
      const results = Array.from({ length }, (_, index) => ({ at: `there-${index}` }));
      const runLocations = results.map((_, index) => `here-${index}`);
      return [ended(sessionWith(1, 'FAILED', results, { runLocations }))];
    };
    const [few, many] = [make(500), make(8_000)];
    expect(rowsOf(many)).toHaveLength(8_001);
    // Quadratic code would cost sixteen times as much.
    expect(costOf(() => rowsOf(many))).toBeLessThan(6 * costOf(() => rowsOf(few), 16));
    const sentenceOf = (outcomes: typeof few) => () => void sentence(checkSessions, outcomes, 5);
    expect(costOf(sentenceOf(many))).toBeLessThan(6 * costOf(sentenceOf(few), 16));
    expect(sentence(checkSessions, many, 5)).toContain('failed');
  });
});

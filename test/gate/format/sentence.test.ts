/** The gate in a sentence, for each way in which it ends, with one session and with many. */
import { describe, expect, test } from 'vitest';
import { unstartedText } from '../../../src/gate/format/lines.ts';
import { seenSoFar, summary, withUnstarted } from '../../../src/gate/format/sentence.ts';
import { checkSessions, type SessionBody, testSessions } from '../../../src/gate/wait/verdict.ts';
import {
  atDeadline,
  ended,
  failed,
  idOf,
  left,
  outOfReach,
  passed,
  refused,
  sessionWith,
} from '../outcomes.ts';

const told = (outcomes: Parameters<typeof summary>[1], tookMs = 65_000) =>
  summary(checkSessions, outcomes, tookMs);
const degraded = (number: number, failOnDegraded = false) =>
  ended(
    sessionWith(number, 'DEGRADED', [{ at: 'eu-west-1' }, { at: 'us-east-1', is: 'degraded' }]),
    failOnDegraded,
  );
const named = (name: unknown, status = 'PASSED') =>
  ended(sessionWith(1, status, [{ at: 'eu-west-1', is: 'failed' }], { name }));
const timedOut = ended(
  sessionWith(3, 'TIMED_OUT', [{ at: 'eu-west-1' }], {
    runLocations: ['eu-west-1', 'us-east-1', 'ap-south-1'],
  }),
);
const cancelled = ended(sessionWith(4, 'CANCELLED', []));

describe('all is well', () => {
  test.each([
    [[passed(1, 'a', 'b', 'c')], 'Check 1 passed at 3 locations in 12s'],
    [[passed(1, 'eu-west-1')], 'Check 1 passed at eu-west-1 in 12s'],
    [[degraded(1)], 'Check 1 ended degraded at 1 of 2 locations in 12s'],
    [[passed(1, 'a'), passed(2, 'a', 'b')], '2 check sessions passed at 2 locations in 1m 5s'],
    [[passed(1, 'eu-west-1'), passed(2, 'eu-west-1')], '2 check sessions passed at eu-west-1 in 1m 5s'],
    [
      [passed(1, 'eu-west-1'), degraded(2), degraded(3)],
      '1 of 3 check sessions passed at 2 locations in 1m 5s, 2 degraded: Check 2, Check 3',
    ],
    [[degraded(2), degraded(3)], '2 check sessions ended degraded at 2 locations in 1m 5s: Check 2, Check 3'],
  ])('in a line (%#)', (outcomes, expected) => {
    expect(told(outcomes)).toBe(expected);
  });

  test('and was over before the gate began: what the sessions took is told, not the looking', () => {
    expect(told([passed(1, 'eu-west-1')], 11)).toContain('in 12s');
    expect(told([passed(1, 'a'), passed(2, 'b')], 11)).toContain('in 12s');
  });

  test('for a test session', () => {
    const session = {
      testSessionId: idOf(1),
      name: 'Before release',
      status: 'PASSED',
      results: [{ runLocation: 'eu-west-1' }, { runLocation: 'eu-west-1' }],
    } as unknown as SessionBody;
    expect(summary(testSessions, [ended(session)], 3000)).toBe('Before release passed at eu-west-1 in 3s');
  });
});

describe('one session that did not end well', () => {
  test.each([
    [failed(1, 'eu-west-1'), 'Check 1 failed at eu-west-1'],
    [failed(1, 'a', 'b', 'c'), 'Check 1 failed at 3 locations'],
    [
      ended(sessionWith(1, 'FAILED', [{ at: 'a', is: 'failed' }, { at: 'b' }, { at: 'c', is: 'error' }])),
      'Check 1 failed at 2 of 3 locations',
    ],
    // Its retry ran elsewhere, and failed there, too.
    [
      ended(sessionWith(1, 'FAILED', [{ at: 'us-east-2', is: 'failed' }], { runLocations: ['us-east-1'] })),
      'Check 1 failed at us-east-2',
    ],
    [timedOut, 'Check 3 timed out at 2 of 3 locations'],
    [cancelled, 'Check 4 was cancelled'],
    [degraded(1, true), 'Check 1 ended degraded at 1 of 2 locations, which fails this gate'],
    [refused(1, 404), `sonde cannot wait for the check session ${idOf(1)}: no such session`],
    [
      outOfReach(1),
      `The check session ${idOf(1)} was unreachable at the deadline; the verdict is unknown: the service could not be reached`,
    ],
    [atDeadline(1), `The check session ${idOf(1)} was still running at the deadline; the verdict is unknown`],
    [left(1, sessionWith(1, 'PROGRESS', [])), 'Check 1 was not awaited'],
  ])('is named (%#)', (outcome, expected) => {
    expect(told([outcome])).toBe(expected);
    expect(told([outcome, outcome])).toBe(expected);
  });
});

describe('several', () => {
  test('are counted, the worst first, what is good last', () => {
    const all = [
      ...[
        passed(11, 'a'),
        left(10),
        degraded(9),
        atDeadline(8),
        outOfReach(7),
        refused(6, 400),
        refused(5, 404),
      ],
      ...[cancelled, timedOut, failed(2, 'a'), failed(1, 'a')],
    ];
    expect(told(all)).toBe(
      'Of 11 check sessions: 2 failed, 1 timed out, 1 cancelled, 1 not found, 1 refused, 1 unreachable, ' +
        '1 still running at the deadline, 1 not awaited, 1 degraded, 1 passed',
    );
    expect(told([passed(1, 'a'), degraded(2, true), left(3)])).toBe(
      'Of 3 check sessions: 1 not awaited, 1 degraded, 1 passed',
    );
  });

  test('of one kind are said together', () => {
    expect(told([failed(1, 'a'), failed(2, 'a')])).toBe('Both check sessions failed');
    expect(told([atDeadline(1), atDeadline(2), atDeadline(3)])).toBe(
      'All 3 check sessions were still running at the deadline',
    );
  });

  test('make no longer sentence than a few, with a thousand sessions and names without end', () => {
    const name = (number: number) => `\u001b[31m${number}\n${'x'.repeat(100_000)}`;
    const many = Array.from({ length: 1000 }, (_, index) => {
      const session = sessionWith(index, 'DEGRADED', [{ at: 'x'.repeat(10_000) }], { name: name(index) });
      return ended(session);
    });
    expect(told(many)).toBe(
      '1000 check sessions ended degraded at xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… in 1m 5s: ' +
        '0, 1, 2, 3, 4 and 995 more',
    );
    expect(seenSoFar(many.map((each) => ({ ...each, exitCode: 1 })))).toBe(
      '1000 degraded: 0, 1, 2, 3, 4 and 995 more',
    );
  });
});

test.each([undefined, '', 7, null, '\u0007'])('a session without a name (%j) is told by its id', (name) => {
  expect(told([named(name)])).toBe(`The check session ${idOf(1)} passed at eu-west-1 in 12s`);
});

describe('seen so far', () => {
  test('is what has ended, with the names of what is bad', () => {
    const outcomes = [passed(1, 'a'), passed(2, 'a'), failed(3, 'a'), left(4)];
    expect(seenSoFar(outcomes)).toBe('2 passed, 1 failed: Check 3');
    expect(seenSoFar([passed(1, 'a'), left(4)])).toBe('1 passed');
    expect(seenSoFar([left(4)])).toBeUndefined();
  });
});

test('checks without a session are named, and counted where there are many', () => {
  expect(unstartedText(['a'])).toBe('no session started for check a');
  expect(unstartedText(['a', 'b'])).toBe('no session started for 2 checks: a, b');
  const many = Array.from({ length: 900 }, (_, index) => `c${index}`);
  expect(unstartedText(many)).toBe(
    'no session started for 900 checks: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 890 more',
  );
});

test('checks without a session stand before a good sentence, and after a bad one', () => {
  expect(withUnstarted('A passed', true, ['c'])).toBe('No session started for check c; A passed');
  expect(withUnstarted('A failed', false, ['c'])).toBe('A failed; no session started for check c');
  expect(withUnstarted('A passed', true, [])).toBe('A passed');
});

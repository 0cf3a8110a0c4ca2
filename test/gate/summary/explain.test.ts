/** Why results failed: only what the API links to them, briefly, and never at the verdict's expense. */
import { describe, expect, test } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import { rowsOf } from '../../../src/gate/format/rows.ts';
import type { ErrorSources } from '../../../src/gate/summary/error-sources.ts';
import { explain } from '../../../src/gate/summary/explain.ts';
import type { SessionBody } from '../../../src/gate/wait/verdict.ts';
import type { GateOutcome } from '../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock } from '../../support/clock.ts';
import { ended, failed, idOf, passed, refused, sessionWith } from '../outcomes.ts';

const RESULT = idOf(77);
const one = ended(sessionWith(1, 'FAILED', [{ at: 'eu-west-1', is: 'failed', id: RESULT }]));
const gone = async () => {
  throw new NetworkError('gone');
};

interface Asked {
  readonly results: unknown[];
  readonly groups: string[];
}

/** Explains outcomes by what the API would tell; gives the rows and what was asked. */
async function explained(
  outcomes: readonly GateOutcome[],
  told: { readonly results?: unknown; readonly groups?: unknown } | Partial<ErrorSources>,
  { signal = new AbortController().signal, until = Number.POSITIVE_INFINITY, all = false } = {},
) {
  const clock = createManualClock();
  const asked: Asked = { results: [], groups: [] };
  const given =
    typeof told.results === 'function' || 'errorGroups' in told ? (told as Partial<ErrorSources>) : undefined;
  const sources: ErrorSources = {
    async results(checkId, window, its) {
      asked.results.push([checkId, window]);
      return given ? given.results?.(checkId, window, its) : { entries: told.results ?? [] };
    },
    async errorGroups(checkId, its) {
      asked.groups.push(checkId);
      return given ? given.errorGroups?.(checkId, its) : ((told as { groups?: unknown }).groups ?? []);
    },
  };
  const began = clock.monotonic();
  const rows = await clock.run(
    explain(rowsOf(outcomes), { outcomes, errorSources: async () => sources, clock, signal, until, all }),
  );
  return { rows, asked, took: clock.monotonic() - began, sleeping: clock.sleeping };
}
const errorOf = async (told: Parameters<typeof explained>[1], outcome: GateOutcome = one) =>
  (await explained([outcome], told)).rows[0]?.error;
const group = (message: string, more: object = {}) => ({
  id: idOf(5),
  checkId: idOf(1001),
  rawErrorMessage: message,
  cleanedErrorMessage: 'cleaned',
  lastSeen: '2026-11-21T08:00:11.000Z',
  ...more,
});

describe('a result', () => {
  test('has its first error and its duration, by its id, from a window round the session', async () => {
    const { rows, asked } = await explained([one], {
      results: [
        { id: idOf(78), errors: ['of another'] },
        { id: RESULT, errors: ['RESPONSE_CODE was NXDOMAIN', 'more'], responseTime: 3.5 },
      ],
    });
    expect(rows).toMatchObject([{ error: 'RESPONSE_CODE was NXDOMAIN', responseTime: 3.5 }]);
    const from = Date.parse('2026-11-21T08:00:00Z') / 1000;
    expect(asked).toEqual({ results: [[idOf(1001), { from: from - 60, to: from + 72 }]], groups: [] });
  });

  test('that went well has its duration where all are asked about, and never an error of its check', async () => {
    const good = ended(sessionWith(1, 'PASSED', [{ at: 'eu-west-1', is: 'passed', id: RESULT }]));
    const told = {
      results: [{ id: RESULT, errors: [], responseTime: 3.5 }],
      groups: [group('of yesterday')],
    };
    const { rows, asked } = await explained([good], told, { all: true });
    expect(rows).toMatchObject([{ result: 'PASSED', error: undefined, responseTime: 3.5 }]);
    expect(asked.groups).toEqual([]);
    expect((await explained([good], told)).asked.results).toEqual([]);
  });

  test('is one of a hundred thousand of its session, and each is told', async () => {
    const results = Array.from({ length: 100_000 }, (_, index) => ({
      ...{ checkResultId: `r${index}`, checkId: idOf(1001), hasFailures: true, resultType: 'FINAL' as const },
      ...(index === 99_999 ? { errorGroupIds: [idOf(6)] } : {}),
    }));
    const many = ended({ ...sessionWith(1, 'FAILED', []), runLocations: [], results });
    const groups = Array.from({ length: 100 }, (_, index) => group(`error ${index}`, { id: idOf(index) }));
    const { rows } = await explained([many], { groups });
    expect(rows).toHaveLength(100_000);
    expect(rows[0]?.error).toBe('latest error of the check: error 0');
    expect(rows[99_999]?.error).toBe('error 6');
  });

  test('is asked about in at most six hours', async () => {
    const long = sessionWith(1, 'FAILED', [{ at: 'eu-west-1', is: 'failed' }], {
      startedAt: '2026-11-20T08:00:00Z',
    });
    const { asked } = await explained([ended(long)], {});
    const [[, window]] = asked.results as [[string, { from: number; to: number }]];
    expect(window.to - window.from).toBe(6 * 3600);
    expect(window.to).toBe(Date.parse('2026-11-21T08:01:12Z') / 1000);
  });

  test.each([
    ['a request that failed', { apiCheckResult: { requestError: 'ECONNREFUSED' } }, 'ECONNREFUSED'],
    ['a script', { browserCheckResult: { errors: [{ message: 'no button', stack: '…' }] } }, 'no button'],
    [
      'an assertion that did not hold',
      {
        apiCheckResult: {
          assertions: [
            { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', passed: true },
            {
              source: 'JSON_BODY',
              property: '$.a',
              comparison: 'EQUALS',
              target: 1,
              passed: false,
              actual: 2,
            },
          ],
        },
      },
      'JSON_BODY $.a EQUALS 1, got 2',
    ],
    ['nothing that says so', { apiCheckResult: { assertions: [{ source: 'STATUS_CODE' }] } }, undefined],
  ])('may have %s in the record of its type', async (_, record, expected) => {
    expect(await errorOf({ results: [{ id: RESULT, errors: [], ...record }] })).toBe(expected);
  });

  test('that was too slow has its duration, and no error is looked for', async () => {
    const slow = ended(sessionWith(1, 'DEGRADED', [{ at: 'eu-west-1', is: 'degraded', id: RESULT }]), true);
    const { rows, asked } = await explained([slow], { results: [{ id: RESULT, responseTime: 900 }] });
    expect(rows).toMatchObject([{ error: undefined, responseTime: 900 }]);
    expect(asked.groups).toEqual([]);
  });

  test('has one short line, safe for every reader', async () => {
    const message = `\u001b]8;;http://x\u0007\n \u202e\n\u001b[31mno\u0007 good ${'x'.repeat(5_000_000)}`;
    const error = await errorOf({ results: [{ id: RESULT, errors: [message] }] });
    expect(error).toMatch(/^no good x+…$/);
    expect(error).toHaveLength(500);
  });
});

describe('an error group', () => {
  test('tells the error of a result that names it', async () => {
    const named = ended(
      sessionWith(1, 'FAILED', [{ at: 'eu-west-1', is: 'failed', more: { errorGroupIds: [idOf(5)] } }]),
    );
    const groups = [group('of another', { id: idOf(6) }), group('no such name')];
    expect(await errorOf({ groups }, named)).toBe('no such name');
    expect(await errorOf({ results: [{ id: RESULT, errorGroupIds: [idOf(5)] }], groups })).toBe(
      'no such name',
    );
    expect(await errorOf({ groups: [group('', { rawErrorMessage: null })] }, named)).toBe('cleaned');
  });

  test('that the test session names is told as seen in it', async () => {
    const session = {
      testSessionId: idOf(1),
      name: 'Before release',
      status: 'FAILED',
      errorGroupIds: [idOf(5)],
      results: [{ testSessionResultId: idOf(7), checkId: idOf(1001), hasFailures: true }],
    } as unknown as SessionBody;
    expect(await errorOf({ groups: [group('no such name')] }, ended(session))).toBe(
      'from the session: no such name',
    );
    const other = [group('of another check', { checkId: idOf(1002) })];
    expect(await errorOf({ groups: other }, ended(session))).toBeUndefined();
  });

  test('that nothing links is told as what it is, and only where it was seen while the session ran', async () => {
    const groups = [
      group('first', { lastSeen: '2026-11-21T08:00:01.000Z' }),
      group('last'),
      group('too late', { lastSeen: '2026-11-21T08:00:13.000Z' }),
      group('too soon', { lastSeen: '2026-11-21T07:59:59.000Z' }),
    ];
    expect(await errorOf({ groups })).toBe('latest error of the check: last');
    expect(await errorOf({ groups: groups.slice(2) })).toBeUndefined();
    expect(await errorOf({ groups: [group('that day', { lastSeen: '2026-11-21' })] })).toBeUndefined();
  });
});

describe('asking', () => {
  test('is for failing rows alone', async () => {
    const cancelled = ended(sessionWith(4, 'CANCELLED', [{ at: 'eu-west-1', is: 'cancelled' }]));
    const { asked } = await explained([passed(1, 'eu-west-1'), refused(2, 404), cancelled], {});
    expect(asked).toEqual({ results: [], groups: [] });
  });

  test('is about ten checks at most, once each, a few at a time', async () => {
    let now = 0;
    let most = 0;
    const outcomes = Array.from({ length: 40 }, (_, index) => failed(index + 1, 'eu-west-1', 'us-east-1'));
    const { asked } = await explained(outcomes, {
      async results() {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      },
      errorGroups: async () => [],
    });
    expect(asked.results).toHaveLength(10);
    expect(asked.groups).toHaveLength(10);
    expect(most).toBe(4);
  });

  test('that fails in any way leaves the rows as they are', async () => {
    for (const told of [
      { results: gone, errorGroups: gone },
      { results: [null, 7, {}], groups: '<html>' },
    ]) {
      expect((await explained([one], told)).rows).toEqual(rowsOf([one]));
    }
    const clock = createManualClock();
    const { signal } = new AbortController();
    const options = { outcomes: [one], errorSources: gone, clock, signal, until: 1000 };
    expect(await clock.run(explain(rowsOf([one]), options))).toEqual(rowsOf([one]));
  });

  test('still looks at the groups where the results cannot be had', async () => {
    const told = { results: gone, errorGroups: async () => [group('last')] };
    expect(await errorOf(told)).toBe('latest error of the check: last');
  });

  test('takes two seconds at most, and keeps what was told by then', async () => {
    const [first, second] = [one, failed(2, 'eu-west-1')];
    const { rows, took, sleeping } = await explained([first, second], {
      // Whoever hangs doesn't listen, either.
      results: (checkId) =>
        checkId === idOf(1001)
          ? Promise.resolve({ entries: [{ id: RESULT, errors: ['told'] }] })
          : new Promise(() => {}),
      errorGroups: async () => [],
    });
    expect(took).toBe(2000);
    expect(rows.map(({ error }) => error)).toEqual(['told', undefined]);
    expect(sleeping).toBe(0);
  });

  test('takes no longer than it is given, and asks nothing where that is no time at all', async () => {
    const hanging = { results: () => new Promise(() => {}), errorGroups: async () => [] };
    expect((await explained([one], hanging, { until: 300 })).took).toBe(300);
    const { asked, took } = await explained([one], hanging, { until: 0 });
    expect([asked.results, took]).toEqual([[], 0]);
  });

  test('ends at once where the gate is interrupted', async () => {
    const stop = new AbortController();
    const { took } = await explained(
      [one],
      {
        results: () => {
          stop.abort();
          return new Promise(() => {});
        },
        errorGroups: async () => [],
      },
      { signal: stop.signal },
    );
    expect(took).toBe(0);
  });
});

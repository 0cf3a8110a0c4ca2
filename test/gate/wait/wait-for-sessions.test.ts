/** The gate's loop against schedules of answers, under a clock that the test moves. */
import { describe, expect, test } from 'vitest';
import { ApiError, NetworkError } from '../../../src/base/errors.ts';
import { runningLine } from '../../../src/gate/format/lines.ts';
import { rowsOf } from '../../../src/gate/format/rows.ts';
import {
  checkSessions,
  readSession,
  type SessionBody,
  testSessions,
} from '../../../src/gate/wait/verdict.ts';
import type { PollResult } from '../../../src/gate/wait/wait-for-session.ts';
import { type GateOptions, waitForSessions } from '../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';
import { PROOF } from '../../support/proof.ts';

const ID = '3f2a0d6c-0000-4000-8000-000000000001';
const body = (status: string, id = ID): PollResult => ({
  kind: 'body',
  body: { checkSessionId: id, status, ...PROOF },
});
const pending: PollResult = { kind: 'pending' };
const fault: PollResult = { kind: 'fault', error: new NetworkError('gone') };
const refusal = (status: number): PollResult => ({
  kind: 'refused',
  error: new ApiError('no', { status, endpoint: 'GET /x' }),
});

interface Step {
  readonly answer: PollResult;
  /** How long the service takes, in ms. */
  readonly takes: number;
}

/** Plays the steps of each session in turn, the last for ever, and notes when each question was asked. */
function scripted(clock: ManualClock, steps: Readonly<Record<string, readonly Step[]>>) {
  const asked: Record<string, number[]> = {};
  const ask: GateOptions['poll'] = async (id, _wait, signal) => {
    asked[id] ??= [];
    const times = asked[id];
    const script = steps[id] ?? [];
    const step = script[Math.min(times.length, script.length - 1)];
    times.push(clock.monotonic());
    if (!step) throw new Error('no step');
    await clock.sleep(step.takes, signal);
    return step.answer;
  };
  return { ask, asked };
}

/** What a gate is given where a test says nothing else. */
const standard = (clock: ManualClock) => ({
  kind: checkSessions,
  clock,
  random: { next: () => 0.5, uuid: () => ID },
  signal: new AbortController().signal,
  deadline: 600_000,
  failOnDegraded: false,
  failFast: false,
  justStarted: false,
  live: false,
});

async function gate(steps: Readonly<Record<string, readonly Step[]>>, more: Partial<GateOptions> = {}) {
  const clock = createManualClock();
  const { ask, asked } = scripted(clock, steps);
  const result = await clock.run(
    waitForSessions({ ...standard(clock), ids: Object.keys(steps), poll: ask, ...more }),
  );
  return { ...result, asked, took: clock.monotonic() };
}
const at = (answer: PollResult, takes = 5): Step => ({ answer, takes });
const code = async (...steps: readonly Step[]) => (await gate({ [ID]: steps })).exitCode;

describe('a verdict', () => {
  test.each([
    ['PASSED', 0],
    ['DEGRADED', 0],
    ['FAILED', 1],
    ['TIMED_OUT', 1],
    ['CANCELLED', 8],
  ])('%s ends the gate with %i', async (status, expected) => {
    expect(await code(at(body(status)))).toBe(expected);
  });
  test('DEGRADED is bad where it is asked to be', async () => {
    expect((await gate({ [ID]: [at(body('DEGRADED'))] }, { failOnDegraded: true })).exitCode).toBe(1);
  });
  test.each([
    ['another session', { checkSessionId: ID.replace('1', '2'), status: 'PASSED' }],
    ['no status', { checkSessionId: ID }],
    ['a status that is not a text', { checkSessionId: ID, status: true }],
    ['a list', [{ checkSessionId: ID, status: 'PASSED' }]],
    ['null', null],
    ['a text', 'PASSED'],
  ])('is not read from an answer about %s', (_, answer) => {
    expect(readSession(checkSessions, ID, answer).kind).toBe('unusable');
  });
  test.each(['PROGRESS', 'passed', 'SOMETHING_NEW', 'constructor', '__proto__', ''])(
    '%j is not an end',
    (status) => {
      expect(readSession(checkSessions, ID, { checkSessionId: ID, status }).kind).toBe('running');
    },
  );
  test('a running test session is not at its end, a degraded one does not exist', () => {
    const read = (status: string) => readSession(testSessions, ID, { testSessionId: ID, status }).kind;
    expect([read('RUNNING'), read('DEGRADED'), read('PASSED')]).toEqual(['running', 'running', 'ended']);
  });
});

describe('waiting', () => {
  test('a server that answers at once is asked at most once a second', async () => {
    const { asked, exitCode } = await gate({ [ID]: [at(pending, 0)] }, { deadline: 60_000 });
    expect(exitCode).toBe(7);
    // The last one is a read at the deadline.
    expect(asked[ID]?.length).toBe(61);
  });
  test('never sooner than Retry-After', async () => {
    const { asked } = await gate({
      [ID]: [at({ kind: 'pending', retryAfterMs: 20_000 }), at(body('PASSED'))],
    });
    expect(asked[ID]).toEqual([0, 20_005]);
  });
  test('faults are ridden out until the deadline, and are the verdict there', async () => {
    expect(await code(at(fault), at(fault), at(fault), at(body('PASSED')))).toBe(0);
    const { exitCode, took } = await gate({ [ID]: [at(fault)] }, { deadline: 30_000 });
    expect(exitCode).toBe(6);
    expect(took).toBeGreaterThanOrEqual(30_000);
    expect(took).toBeLessThan(31_000);
  });
  test('a fault that has passed is not the verdict at the deadline', async () => {
    const steps = [at(body('STARTED')), at(fault), at(body('STARTED'))];
    expect((await gate({ [ID]: steps }, { deadline: 30_000 })).exitCode).toBe(7);
  });
  test('an unusable 200 is a fault', async () => {
    expect(await code(at({ kind: 'body', body: '<html>' }), at(body('PASSED')))).toBe(0);
    expect(await code(at({ kind: 'body', body: '<html>' }))).toBe(6);
  });
  test('a service that hangs does not hold the gate beyond its deadline, and is out of reach there', async () => {
    const { exitCode, took } = await gate({ [ID]: [at(body('PASSED'), 10_000_000)] }, { deadline: 30_000 });
    expect(exitCode).toBe(6);
    expect(took).toBeLessThan(31_000);
  });
  test('an answer that is not due yet at the deadline is no fault', async () => {
    const steps = [at(pending, 29_500), at(body('PASSED'), 10_000_000)];
    expect((await gate({ [ID]: steps }, { deadline: 30_000 })).exitCode).toBe(7);
  });
  test('an answer that is not due yet is no fault either where the timer of the deadline comes late', async () => {
    const clock = createManualClock();
    const late = { ...clock, sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + 20, signal) };
    const { ask } = scripted(clock, { [ID]: [at(pending, 1_010), at(pending, 1_600)] });
    const options = { ...standard(clock), clock: late, ids: [ID], poll: ask, deadline: 2_000 };
    expect((await clock.run(waitForSessions(options))).exitCode).toBe(7);
  });
  test.each([
    [401, 4],
    [403, 4],
    [404, 5],
    [400, 3],
  ])('a refusal with %i ends at once with %i', async (status, expected) => {
    const { exitCode, asked } = await gate({ [ID]: [at(refusal(status)), at(body('PASSED'))] });
    expect(exitCode).toBe(expected);
    expect(asked[ID]).toHaveLength(1);
  });
  test('a 404 for a session just started or already seen is ridden out for ten seconds', async () => {
    const missing = [at(refusal(404)), at(refusal(404)), at(body('PASSED'))];
    expect((await gate({ [ID]: missing }, { justStarted: true })).exitCode).toBe(0);
    expect(await code(at(body('PROGRESS')), ...missing)).toBe(0);
    const { exitCode, took } = await gate({ [ID]: [at(refusal(404))] }, { justStarted: true });
    expect(exitCode).toBe(5);
    expect(took).toBeGreaterThanOrEqual(10_000);
    expect(took).toBeLessThan(20_000);
  });
  test('a cancelled gate rejects with the reason at once', async () => {
    const stop = new AbortController();
    const waiting = gate(
      { [ID]: [at(pending, 1000), { answer: pending, takes: 1000 }] },
      { signal: stop.signal },
    );
    stop.abort(new Error('stopped by a person'));
    await expect(waiting).rejects.toThrow('stopped by a person');
  });
});

test('a session whose fields are of other types than documented is told all the same', () => {
  const session = {
    checkSessionId: ID,
    status: 'PROGRESS',
    results: {},
    runLocations: 5,
  } as unknown as SessionBody;
  const outcome = { id: ID, exitCode: 7, outcome: { kind: 'deadline', session } } as const;
  expect(runningLine(ID, session, 1000)).toContain('PROGRESS');
  expect(rowsOf([outcome])).toMatchObject([{ status: 'PROGRESS' }]);
});

describe('a deployment without long polls for test sessions', () => {
  /** Answers looks alone; `found` says from when on the session is there, in ms. */
  async function looksOnly(found: number, ends: number, more: Partial<GateOptions> = {}) {
    const clock = createManualClock();
    const asked: (readonly [at: number, wait: number])[] = [];
    const missing = new ApiError('no', { status: 404, endpoint: 'GET /x' });
    const result = await clock.run(
      waitForSessions({
        ...standard(clock),
        kind: testSessions,
        ids: [ID],
        async poll(_id, wait) {
          const now = clock.monotonic();
          asked.push([now / 1000, wait]);
          if (wait > 0) return { kind: 'no poll', error: missing };
          if (now < found) return { kind: 'refused', error: missing };
          const status = now < ends ? 'RUNNING' : 'PASSED';
          return { kind: 'body', body: { testSessionId: ID, status, ...PROOF } };
        },
        ...more,
      }),
    );
    return { ...result, asked };
  }

  test('is looked at with growing pauses, once it is sure that polls are missing', async () => {
    const { exitCode, asked } = await looksOnly(0, 40_000);
    expect(exitCode).toBe(0);
    expect(asked.slice(0, 4)).toEqual([
      [0, 30],
      [1, 0],
      [2, 30],
      [3, 0],
    ]);
    expect(asked.slice(4)).toEqual([4, 6, 10, 18, 28, 38, 48].map((at) => [at, 0]));
  });

  test('says that a session is not there as soon as a look does', async () => {
    const { exitCode, asked } = await looksOnly(Number.POSITIVE_INFINITY, 0);
    expect(exitCode).toBe(5);
    expect(asked).toHaveLength(2);
  });

  test('is given time to know of a session that was just started', async () => {
    expect((await looksOnly(4_000, 8_000, { justStarted: true })).exitCode).toBe(0);
  });
});

test('no session at all is a fault of ours and never good', async () => {
  await expect(gate({})).rejects.toThrow('without a session');
});

describe('several sessions', () => {
  const ids = (count: number) =>
    Array.from({ length: count }, (_, n) => ID.slice(0, -4) + String(n).padStart(4, '0'));
  test('the worst outcome decides, and every outcome is told in the order given', async () => {
    const [a = '', b = '', c = ''] = ids(3);
    const { outcomes, exitCode } = await gate({
      [a]: [at(body('PASSED', a), 3000)],
      [b]: [at(body('CANCELLED', b))],
      [c]: [at(body('FAILED', c), 9000)],
    });
    expect(exitCode).toBe(1);
    expect(outcomes.map(({ id, exitCode: each }) => [id, each])).toEqual([
      [a, 0],
      [b, 8],
      [c, 1],
    ]);
  });
  test('fail-fast leaves the rest at the first bad verdict', async () => {
    const [a = '', b = ''] = ids(2);
    const { outcomes, exitCode, took } = await gate(
      { [a]: [at(body('FAILED', a), 2000)], [b]: [at(body('PASSED', b), 60_000)] },
      { failFast: true },
    );
    expect(exitCode).toBe(1);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['ended', 'left']);
    expect(took).toBeLessThan(3000);
  });
});

test('the line of a session stays one line, whatever its name', () => {
  const session: SessionBody = { checkSessionId: ID, status: 'PROGRESS', name: 'a\u001b[2J\nb' };
  expect(runningLine(ID, session, 1000)).toMatch(/^a \(3f2a0d6c\) PROGRESS, 1s$/);
});

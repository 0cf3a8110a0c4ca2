/** Many sessions: who is asked when, within the documented rate, until few enough are left to hold long polls. */
import { describe, expect, test } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import { checkSessions } from '../../../src/gate/wait/verdict.ts';
import type { PollResult } from '../../../src/gate/wait/wait-for-session.ts';
import { type GateOptions, waitForSessions } from '../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock } from '../../support/clock.ts';
import { PROOF } from '../../support/proof.ts';

interface Question {
  readonly id: string;
  readonly at: number;
  readonly wait: number;
}

/** Waits for so many sessions; `answer` gives the status of one at a time, or a whole answer. */
async function many(
  count: number,
  answer: (index: number, at: number) => string | PollResult,
  more: Partial<GateOptions> = {},
) {
  const clock = createManualClock();
  const ids = Array.from({ length: count }, (_, n) => `session-${n}`);
  const asked: Question[] = [];
  const rounds: number[] = [];
  const result = await clock.run(
    waitForSessions({
      kind: checkSessions,
      ids,
      clock,
      random: { next: () => 0.5, uuid: () => '' },
      signal: new AbortController().signal,
      deadline: 1_800_000,
      failOnDegraded: false,
      failFast: false,
      justStarted: false,
      live: false,
      onPollInTurn: (everyMs) => rounds.push(everyMs),
      async poll(id, wait, signal) {
        const index = Number(id.split('-')[1]);
        asked.push({ id, at: clock.monotonic(), wait });
        await clock.sleep(5, signal);
        let told = answer(index, clock.monotonic());
        for (let waited = 0; told === 'PROGRESS' && waited < wait; waited += 1) {
          await clock.sleep(1000, signal);
          told = answer(index, clock.monotonic());
        }
        if (typeof told !== 'string') return told;
        if (told === 'PROGRESS' && wait > 0) return { kind: 'pending' };
        return { kind: 'body', body: { checkSessionId: id, status: told, ...PROOF } };
      },
      ...more,
    }),
  );
  return { ...result, asked, rounds, took: clock.monotonic() };
}

/** The most questions in any window of that length. */
const busiest = (asked: readonly Question[], windowMs: number): number => {
  let [most, first] = [0, 0];
  for (const [index, { at }] of asked.entries()) {
    while ((asked[first]?.at ?? 0) <= at - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

describe('up to fifty sessions', () => {
  test('hold a long poll each, two requests a minute', async () => {
    const { asked, exitCode, rounds } = await many(50, (_, at) => (at > 300_000 ? 'PASSED' : 'PROGRESS'));
    expect(exitCode).toBe(0);
    expect(rounds).toEqual([]);
    expect(new Set(asked.map(({ wait }) => wait))).toEqual(new Set([30]));
    expect(busiest(asked, 60_000)).toBeLessThanOrEqual(50 * 3);
    expect(asked.length).toBeLessThanOrEqual(50 * 11);
  });
  test('are looked at once more a poll where somebody watches, never twice a second', async () => {
    const until = (_: number, at: number) => (at > 240_000 ? 'PASSED' : 'PROGRESS');
    const { asked } = await many(3, until, { live: true });
    const [first] = asked;
    const of = asked.filter(({ id }) => id === first?.id);
    expect(of.slice(0, 4).map(({ at, wait }) => [Math.round(at / 1000), wait])).toEqual([
      [0, 30],
      [1, 0],
      [30, 30],
      [31, 0],
    ]);
    expect(of.length).toBeLessThanOrEqual(4 * 4 + 2);
  });
});

describe('more than fifty sessions', () => {
  test('are asked in turn within the documented rate, and the delay is said', async () => {
    const { asked, exitCode, rounds } = await many(1000, (_, at) => (at > 600_000 ? 'PASSED' : 'PROGRESS'));
    expect(exitCode).toBe(0);
    expect(rounds).toHaveLength(1);
    expect(Math.round((rounds[0] ?? 0) / 1000)).toBe(143);
    expect(busiest(asked, 60_000)).toBeLessThanOrEqual(560);
    const gaps = new Map<string, number>();
    let longest = 0;
    for (const { id, at } of asked.filter(({ wait }) => wait === 0)) {
      longest = Math.max(longest, at - (gaps.get(id) ?? at));
      gaps.set(id, at);
    }
    expect(longest).toBeLessThan(150_000);
  });
  test('that are over already are told in seconds', async () => {
    const { took, asked } = await many(100, () => 'PASSED');
    expect(asked).toHaveLength(100);
    expect(took).toBeLessThan(3_000);
  });
  test('hold long polls once fifty are left', async () => {
    const { asked, took } = await many(200, (index, at) =>
      index >= 50 || at > 100_000 ? 'PASSED' : 'PROGRESS',
    );
    expect(took).toBeLessThan(102_000);
    expect(asked.filter(({ wait }) => wait > 0).length).toBeGreaterThanOrEqual(50);
  });
  test('rest together where the service limits them, and do not rush in afterwards', async () => {
    const limited: PollResult = {
      kind: 'fault',
      error: new NetworkError('429'),
      retryAfterMs: 30_000,
      limited: true,
    };
    let told = false;
    const { asked, exitCode } = await many(200, (_, at) => {
      if (told || at < 10_000) return at > 60_000 ? 'PASSED' : 'PROGRESS';
      told = true;
      return limited;
    });
    expect(exitCode).toBe(0);
    const pause = asked.findIndex(({ at }, index) => at - (asked[index - 1]?.at ?? at) > 29_000);
    expect(pause).toBeGreaterThan(0);
    expect(busiest(asked.slice(pause), 1_000)).toBeLessThanOrEqual(60);
    expect(
      busiest(
        asked.slice(pause).filter(({ at }) => at < 55_000),
        1_000,
      ),
    ).toBeLessThanOrEqual(8);
  });
  test('are given up at the deadline together, also those that nobody could ask', async () => {
    const { exitCode, outcomes, took } = await many(1000, () => 'PROGRESS', { deadline: 20_000 });
    expect(exitCode).toBe(7);
    expect(outcomes).toHaveLength(1000);
    expect(took).toBeLessThan(21_000);
  });
  test('end at once where a person interrupts', async () => {
    const stop = new AbortController();
    const waiting = many(
      1000,
      (_, at) => {
        if (at > 5_000) stop.abort(new Error('stopped'));
        return 'PROGRESS';
      },
      { signal: stop.signal },
    );
    await expect(waiting).rejects.toThrow('stopped');
  });
  test('of which one is named twice are asked about once each', async () => {
    const ids = ['session-1', 'session-2', 'SESSION-1'];
    const { asked, outcomes } = await many(0, () => 'PASSED', { ids });
    expect(asked.map(({ id }) => id)).toEqual(['session-1', 'session-2']);
    expect(outcomes.map(({ id }) => id)).toEqual(['session-1', 'session-2', 'session-1']);
  });
  test('do not sleep for a day on what one of them was told', async () => {
    const away: PollResult = {
      ...{ kind: 'fault', error: new NetworkError('429'), limited: true },
      retryAfterMs: 86_400_000,
    };
    const { exitCode, outcomes } = await many(100, (index) => (index === 0 ? away : 'PASSED'));
    expect(exitCode).toBe(6);
    expect(outcomes.filter((outcome) => outcome.exitCode === 0)).toHaveLength(99);
  });
});

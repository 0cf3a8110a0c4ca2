/** Many sessions: when each is read, in the list or on its own, until few enough are left to hold long polls. */
import { describe, expect, test } from 'vitest';
import { NetworkError } from '../../../src/base/errors.ts';
import type { ReadList } from '../../../src/gate/wait/list-sweep.ts';
import { checkSessions } from '../../../src/gate/wait/verdict.ts';
import type { PollResult } from '../../../src/gate/wait/wait-for-session.ts';
import { type GateOptions, waitForSessions } from '../../../src/gate/wait/wait-for-sessions.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';
import { PROOF } from '../../support/proof.ts';

interface Question {
  readonly id: string;
  readonly at: number;
  readonly wait: number;
}

/** Random numbers that are the same in each run. */
function createRandom() {
  let seed = 1;
  return {
    next() {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
    uuid: () => '',
  };
}

/** Options of a gate of half an hour. */
const defaults = (clock: ManualClock) => ({
  kind: checkSessions,
  clock,
  random: createRandom(),
  signal: new AbortController().signal,
  deadline: 1_800_000,
  failOnDegraded: false,
  failFast: false,
  justStarted: false,
  live: false,
});

/** Waits for so many sessions; `answer` gives the status of one at a time, or a whole answer. */
async function many(
  count: number,
  answer: (index: number, at: number) => string | PollResult,
  more: Partial<GateOptions> = {},
  { clock = createManualClock(), list }: { clock?: ManualClock; list?: ReadList } = {},
) {
  const ids = Array.from({ length: count }, (_, n) => `session-${n}`);
  const asked: Question[] = [];
  const rounds: number[] = [];
  const result = await clock.run(
    waitForSessions({
      ...defaults(clock),
      ids,
      onPollInTurn: (everyMs) => rounds.push(everyMs),
      poll: Object.assign(poll, list ? { list } : {}),
      ...more,
    }),
  );
  async function poll(id: string, wait: number, signal: AbortSignal): Promise<PollResult> {
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
  }
  return { ...result, asked, rounds, took: clock.monotonic() };
}

/** A list of sessions, newest first; between two of them are `others`. Each page costs a request. */
function listOf(
  count: number,
  statusAt: (index: number, at: number) => string,
  change: (entry: Entry) => readonly unknown[] = (entry) => [entry],
  others = 0,
) {
  const clock = createManualClock();
  const pages: number[] = [];
  const list: ReadList = async function* (from, signal) {
    for (let start = Number(from ?? 0); start < count * (others + 1); start += 100) {
      await clock.sleep(20, signal);
      pages.push(clock.monotonic());
      const places = Array.from({ length: 100 }, (_, place) => start + place);
      const entries = places.flatMap((place) => {
        const index = count - 1 - place / (others + 1);
        const status = index < 0 || !Number.isInteger(index) ? 'PASSED' : statusAt(index, clock.monotonic());
        const checkSessionId = Number.isInteger(index) ? `session-${index}` : `other-${place}`;
        return change({ checkSessionId, status, ...PROOF });
      });
      yield { entries, nextId: String(start + 100) };
    }
  };
  return { clock, list, pages };
}
type Entry = { readonly checkSessionId: string; readonly status: string };

/** Waits for a thousand sessions that the list contains. */
async function listed(
  statusAt: (index: number, at: number) => string,
  more: Partial<GateOptions> = {},
  change?: (entry: Entry) => readonly unknown[],
  others?: number,
) {
  const { clock, list, pages } = listOf(1000, statusAt, change, others);
  const seen = await many(1000, statusAt, more, { clock, list });
  return { ...seen, requests: seen.asked.length + pages.length, pages };
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
    expect(Math.round((rounds[0] ?? 0) / 1000)).toBe(125);
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

describe('a thousand sessions in a list', () => {
  /** A fixed shuffle: 7919 and 1000 have no common divisor. */
  const shuffled = (index: number): number => (index * 7919) % 1000;
  const endings: readonly (readonly [string, (index: number) => number])[] = [
    ['one after the other', (index) => 1_000 + index * 60],
    ['the newest first', (index) => 61_000 - index * 60],
    ['in any order', (index) => 1_000 + shuffled(index) * 60],
    ['in any order, over ten minutes', (index) => 1_000 + shuffled(index) * 600],
    ['all at once', () => 300_000],
    ['early, but for a few', (index) => (shuffled(index) < 10 ? 570_000 : 10_000)],
  ];
  test.each(endings)('that end %s cost few requests, and the gate ends with the last', async (_, endOf) => {
    const last = Math.max(...Array.from({ length: 1000 }, (_, index) => endOf(index)));
    const { exitCode, requests, took } = await listed((index, at) =>
      at >= endOf(index) ? 'PASSED' : 'PROGRESS',
    );
    expect(exitCode).toBe(0);
    expect(requests).toBeLessThanOrEqual(300);
    expect(took - last).toBeLessThanOrEqual(2_000);
  });
  test('are found among many others, and once found are not looked for from the start', async () => {
    const passed = (_: number, at: number) => (at > 60_000 ? 'PASSED' : 'PROGRESS');
    const { exitCode, asked } = await listed(passed, {}, undefined, 3);
    expect(exitCode).toBe(0);
    expect(asked.length).toBeLessThan(30);
  });
  test('that never end cost few requests in ten minutes', async () => {
    const { exitCode, requests, outcomes } = await listed(() => 'PROGRESS', { deadline: 600_000 });
    expect(exitCode).toBe(7);
    expect(requests).toBeLessThanOrEqual(300);
    expect(new Set(outcomes.map(({ outcome }) => outcome.kind))).toEqual(new Set(['deadline']));
  });
  test('that end just before the deadline are seen to have ended', async () => {
    const { exitCode, took } = await listed((_, at) => (at >= 99_999 ? 'PASSED' : 'PROGRESS'), {
      deadline: 100_000,
    });
    expect(exitCode).toBe(0);
    expect(took).toBeLessThan(100_600);
  });
  const lies: readonly (readonly [string, (entry: Entry) => readonly unknown[]])[] = [
    ['without results', ({ checkSessionId, status }) => [{ checkSessionId, status }]],
    ['that contradict themselves', (entry) => [{ ...entry, stoppedAt: null }]],
    ['given twice', (entry) => [entry, { ...entry, status: 'FAILED' }]],
    ['of other sessions', (entry) => [{ ...entry, checkSessionId: `other-${entry.checkSessionId}` }]],
    ['without an ID', ({ status }) => [{ status, ...PROOF }]],
    ['that are none', () => [null, 'PASSED', []]],
    ['for some of them only', (entry) => (entry.checkSessionId.endsWith('7') ? [] : [entry])],
  ];
  test.each(lies)('are read on their own where it has entries %s', async (_, change) => {
    const bad = await listed(
      (index) => (index === 77 ? 'FAILED' : 'PASSED'),
      {},
      (entry) => change({ ...entry, status: 'PASSED' }),
    );
    const alone = new Set(bad.asked.map(({ id }) => id));
    expect(alone).toContain('session-77');
    expect(bad.exitCode).toBe(1);
    expect(bad.outcomes.filter(({ exitCode }) => exitCode === 0)).toHaveLength(999);
  });
  test.each(['missing', 'fault', 'limited'] as const)(
    'are read on their own where it is %s',
    async (kind) => {
      let lists = 0;
      const list: ReadList = async function* () {
        lists += 1;
        yield { kind, retryAfterMs: 3_000 };
      };
      const { exitCode, rounds } = await many(100, () => 'PASSED', {}, { list });
      expect(exitCode).toBe(0);
      expect(lists).toBeGreaterThan(0);
      expect(rounds).toHaveLength(kind === 'missing' ? 1 : 0);
    },
  );
});

describe('the rate limit of the deployment', () => {
  test('spreads the remaining reads evenly until the reset of the limit', async () => {
    const quota = { limit: 100, remaining: 60, resetMs: 40_000 };
    const body = (id: string) => ({ checkSessionId: id, status: 'PROGRESS', ...PROOF });
    const clock = createManualClock();
    const asked: number[] = [];
    await clock.run(
      waitForSessions({
        ...defaults(clock),
        ids: Array.from({ length: 200 }, (_, index) => `session-${index}`),
        deadline: 20_000,
        poll: async (id) => {
          asked.push(clock.monotonic());
          return { kind: 'body', body: body(id), quota };
        },
      }),
    );
    const before = asked.filter((at) => at < 20_000).map((at) => ({ id: '', at, wait: 0 }));
    expect(before.length).toBeGreaterThan(15);
    expect(busiest(before.slice(2), 10_000)).toBeLessThanOrEqual(12);
  });
});

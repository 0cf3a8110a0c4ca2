/** The machine's clock is set, and the service restarts, again and again: what is due still runs, once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRunAt } from '../../../../src/calendar/grid.ts';
import { detectClockSteps } from '../../../../src/service/engine/schedule/clock-step-handler.ts';
import { isTerminal, type SessionStatus } from '../../../../src/service/engine/sessions/states.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import type { Store } from '../../../../src/service/store/index.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { runs } from '../../../support/sampled.ts';
import { createHarness, type Harness, START } from '../harness.ts';

const RUNS = runs(3, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SCHEDULE = { frequency: 1, frequencyOffset: 5 } as const;

type Move =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'set'; readonly ms: number }
  | { readonly do: 'restart'; readonly setMs: number };

const steps = fc.constantFrom(
  ...[SECOND, 40 * SECOND, 3 * MINUTE, 2 * HOUR, 400 * DAY].flatMap((ms) => [ms, -ms]),
);
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 5 * MINUTE }) }),
    fc.record({ do: fc.constant('set' as const), ms: steps }),
    fc.record({ do: fc.constant('restart' as const), setMs: fc.oneof(fc.constant(0), steps) }),
  ),
  { minLength: 1, maxLength: 6 },
);

/** Ticks claimed at their instant, and a moment before it. */
const claimAheads = fc.constantFrom(
  { minMs: 0, maxMs: 0 },
  { minMs: 30, maxMs: 180 },
  { minMs: 300, maxMs: 900 },
);

async function make(at: Harness, move: Move): Promise<void> {
  switch (move.do) {
    case 'pass':
      return at.clock.advance(move.ms);
    case 'set':
      return at.clock.step(move.ms);
    case 'restart':
      await at.kill();
      at.clock.step(move.setMs);
      return at.engine.start();
    default:
      return move satisfies never;
  }
}

async function ticksOf(at: Harness, checkId: string) {
  const data = engineStore(at.store);
  const missed = (await data.schedule.missedTicksOf(checkId)).map(({ first, last }) => ({ first, last }));
  const ran = await data.sessions.ticksBetween(checkId, 0, Number.MAX_SAFE_INTEGER);
  return { ran, missed };
}

it('runs each tick once or records that it was missed, and never waits for a tick far ahead', {
  timeout: 1_800_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(moves, claimAheads, async (made, claimAhead) => {
      const at = await createHarness({ claimAhead });
      try {
        await at.engine.start();
        const id = await at.check(SCHEDULE);
        for (const move of made) await make(at, move);
        // The clock is looked at twice a minute at the least.
        await at.clock.advance(MINUTE);
        const from = at.clock.now();
        await at.clock.advance(3 * MINUTE);
        const to = at.clock.now();
        // What was claimed a moment ahead starts at its tick, and nothing is claimed long before the next.
        await at.clock.advance(nextRunAt(SCHEDULE, to) - to + 10 * SECOND);
        await eventually(async () => {
          const { entries } = await at.engine.listSessions({ accountId: at.accountId, limit: 100 });
          expect(entries.filter(({ status }) => !isTerminal(status as SessionStatus))).toEqual([]);
        });
        const { ran, missed } = await ticksOf(at, id);
        for (const [place, { first, last }] of missed.entries()) {
          expect(ran.filter((tick) => tick >= first && tick <= last)).toEqual([]);
          expect(first).toBeGreaterThan(missed[place - 1]?.last ?? 0);
        }
        for (let tick = nextRunAt(SCHEDULE, from); tick <= to; tick += MINUTE) expect(ran).toContain(tick);
        // An engine that was killed finds its store gone.
        const gone = /driver has already been destroyed|the store is closed/;
        expect(at.errors.filter(({ err }) => !gone.test(String(err)))).toEqual([]);
      } finally {
        await at.close();
      }
    }),
    { numRuns: RUNS, examples: [[[{ do: 'pass', ms: 89_700 }], { minMs: 300, maxMs: 900 }]] },
  );
});

it('gives what is under way the time that it had left, whichever way the clock was set', async () => {
  for (const ms of [2 * HOUR, -2 * HOUR]) {
    const at = await createHarness();
    await at.engine.start();
    at.target.finds({ hasFailures: true, errors: ['no'] });
    const id = await at.start(await at.check({ retryStrategy: { baseBackoffSeconds: 120 } }));
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    at.clock.step(ms);
    await at.clock.advance(119 * SECOND);
    expect((await at.read(id)).results).toHaveLength(1);
    await at.clock.advance(31 * SECOND);
    await eventually(async () => expect((await at.read(id)).status).toBe('PASSED'));
    await at.close();
  }
});

/** A store that cannot be written for a while: once told so, the transactions with these numbers (from 0) fail. */
function failingStore(store: Store): { readonly store: Store; fail(numbers: readonly number[]): void } {
  let [asked, failures]: [number, readonly number[]] = [0, []];
  const transaction: Store['transaction'] = async (work, options) => {
    asked += 1;
    if (failures.includes(asked - 1)) throw new Error('the disk is full');
    return store.transaction(work, options);
  };
  return {
    store: Object.assign(Object.create(store) as Store, { transaction }),
    fail(numbers) {
      [asked, failures] = [0, numbers];
    },
  };
}

it.each([
  [2 * HOUR, [0]],
  [-2 * HOUR, [0]],
  [-2 * HOUR, [1]],
  [-2 * HOUR, [0, 1, 3]],
] as const)(
  'follows a clock that was set by %i ms once, also where it cannot at first (%j)',
  async (ms, numbers) => {
    const at = await createHarness();
    try {
      const failing = failingStore(at.store);
      at.engine = at.engineOver(failing.store);
      await at.engine.start();
      at.target.finds({ hasFailures: true, errors: ['no'] });
      const hourly = await at.check({ frequency: 60 });
      const id = await at.start(await at.check({ retryStrategy: { baseBackoffSeconds: 120 } }));
      await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
      failing.fail(numbers);
      at.clock.step(ms);
      await at.clock.advance(119 * SECOND);
      expect(at.errors.map(({ err }) => String(err))).toEqual(numbers.map(() => 'Error: the disk is full'));
      expect((await at.read(id)).results).toHaveLength(1);
      await at.clock.advance(31 * SECOND);
      await eventually(async () => expect((await at.read(id)).status).toBe('PASSED'));
      const next = (await at.store.checks.get(at.accountId, hourly))?.nextRunAt ?? Number.POSITIVE_INFINITY;
      expect(next).toBeLessThanOrEqual(at.clock.now() + HOUR);
    } finally {
      await at.close();
    }
  },
);

it('moves nothing that started when the clock had been set', async () => {
  const at = await createHarness();
  try {
    await at.engine.start();
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 120 } });
    at.target.finds({ hasFailures: true, errors: ['no'] });
    at.clock.step(-2 * HOUR);
    const id = await at.start(check);
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.clock.advance(119 * SECOND);
    expect((await at.read(id)).results).toHaveLength(1);
    await at.clock.advance(31 * SECOND);
    await eventually(async () => expect((await at.read(id)).status).toBe('PASSED'));
  } finally {
    await at.close();
  }
});

it('tells by how much the clock was set, and takes what it is slewed by for time that passed', async () => {
  const clock = createManualClock();
  const stepOf = detectClockSteps(clock);
  await clock.advance(HOUR);
  expect(stepOf()).toBe(0);
  for (const [ms, told] of [
    [999, 0],
    [1000, 1000],
    [-999, 0],
    [-HOUR, -HOUR],
  ] as const) {
    clock.step(ms);
    expect(stepOf()).toBe(told);
    expect(stepOf()).toBe(0);
  }
});

it('gives what waits its time also where the clock was set back while nobody looked', async () => {
  const at = await createHarness();
  try {
    await at.engine.start();
    at.target.finds({ hasFailures: true, errors: ['no'] });
    const id = await at.start(await at.check({ retryStrategy: { baseBackoffSeconds: 120 } }));
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.kill();
    at.clock.step(-2 * HOUR);
    await at.engine.start();
    await at.clock.advance(121 * SECOND);
    await eventually(async () => expect((await at.read(id)).status).toBe('PASSED'));
  } finally {
    await at.close();
  }
});

describe('a clock that ran ahead and is set back', () => {
  /** Every minute, 30 s past it. */
  const tick = (minute: number) => START + 30 * SECOND + minute * MINUTE;
  const ended = (at: Harness) =>
    eventually(async () => expect(await engineStore(at.store).sessions.latestOpenStart()).toBeNull());

  it('forgets that ticks to come were missed: they run at their own time', async () => {
    const at = await createHarness();
    try {
      await at.engine.start();
      const id = await at.check(SCHEDULE);
      await at.clock.advance(MINUTE);
      at.clock.step(2 * HOUR);
      await at.clock.advance(MINUTE);
      const [gap] = (await ticksOf(at, id)).missed;
      expect(gap).toEqual({ first: tick(1), last: tick(120) });
      at.clock.step(-2 * HOUR);
      await at.clock.advance(3 * MINUTE);
      await ended(at);
      expect(await ticksOf(at, id)).toEqual({
        // That of the second minute passed while the clock was ahead: nobody was there for it.
        ran: [tick(0), tick(2), tick(3), tick(4), tick(121)],
        missed: [{ first: tick(1), last: tick(1) }],
      });
    } finally {
      await at.close();
    }
  });

  it('keeps of a gap that reaches into what is to come what truly was missed', async () => {
    const at = await createHarness();
    try {
      await at.engine.start();
      const id = await at.check(SCHEDULE);
      await at.clock.advance(MINUTE);
      await ended(at);
      await at.kill();
      await at.clock.advance(10 * MINUTE);
      at.clock.step(2 * HOUR);
      await at.engine.start();
      await at.clock.advance(SECOND);
      expect((await ticksOf(at, id)).missed).toEqual([{ first: tick(1), last: tick(129) }]);
      at.clock.step(-2 * HOUR);
      await at.clock.advance(2 * MINUTE);
      await ended(at);
      expect(await engineStore(at.store).schedule.missedTicksOf(id)).toMatchObject([
        { first: tick(1), last: tick(10), ticks: 10 },
      ]);
      expect((await ticksOf(at, id)).ran).toEqual([tick(0), tick(11), tick(12), tick(130)]);
    } finally {
      await at.close();
    }
  });

  it('takes no tick for missed that ran before it was set back', async () => {
    const at = await createHarness();
    try {
      await at.engine.start();
      const id = await at.check(SCHEDULE);
      await at.clock.advance(5 * MINUTE);
      await ended(at);
      at.clock.step(-4 * MINUTE);
      await at.clock.advance(31 * SECOND);
      await at.kill();
      await at.clock.advance(6 * MINUTE);
      await at.engine.start();
      await at.clock.advance(SECOND);
      await ended(at);
      expect(await ticksOf(at, id)).toEqual({
        ran: [tick(0), tick(1), tick(2), tick(3), tick(4), tick(7)],
        missed: [{ first: tick(5), last: tick(6) }],
      });
    } finally {
      await at.close();
    }
  });
});

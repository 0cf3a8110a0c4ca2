/**
 * What holds of the gate over any schedule of answers, judged by what went over the wire and not by its own account.
 * The soak suite takes five thousand of each kind.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../support/sampled.ts';
import { type Played, play, type Schedule, type Sent } from './play.ts';
import {
  anyList,
  anyStep,
  goodList,
  goodStep,
  passingStep,
  runningStep,
  type Step,
  type Tells,
  untilEnd,
} from './wire.ts';

const RUNS = runs(300, 750);
const limits = { numRuns: RUNS };
/** Schedules of many sessions take longer. */
const MANY_RUNS = RUNS / 30;
const LONG = RUNS * 60 + 20_000;

const CODES: Readonly<Record<string, number>> = {
  PASSED: 0,
  DEGRADED: 0,
  FAILED: 1,
  TIMED_OUT: 1,
  CANCELLED: 8,
};
const REFUSED: Readonly<Record<string, number>> = { '401': 4, '403': 4, '404': 5 };
const PRECEDENCE = [70, 1, 8, 4, 5, 3, 6, 7, 74];

const settings = {
  kind: fc.constantFrom('check', 'test'),
  timeoutMs: fc.constantFrom(500, 3000, 20_000, 45_000, 100_000),
  failFast: fc.boolean(),
  failOnDegraded: fc.boolean(),
  justStarted: fc.boolean(),
  live: fc.boolean(),
} satisfies { [K in keyof Schedule]?: fc.Arbitrary<Schedule[K]> };

const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  ...settings,
  sessions: fc.array(fc.array(anyStep, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 3 }),
});

/** What an answer tells: a test session knows no DEGRADED and no TIMED_OUT, a look is never answered 408 for good reason. */
function tells({ kind }: Schedule, { step, wait }: Sent): Tells {
  if (kind === 'test' && (step.tells === 'DEGRADED' || step.tells === 'TIMED_OUT')) return 'running';
  return step.tells === 'pending' && wait === 0 ? 'fault' : step.tells;
}
const isEnd = (word: Tells): boolean => word in CODES;
/** What the gate heard about a session, in the order of its arrival. */
const heardOf = ({ sent }: Played, id: string): readonly Sent[] =>
  sent
    .filter((each) => each.id === id && each.answeredAt !== undefined)
    .sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));

/** A look beside a poll, for those who watch, decides nothing but a verdict. The last one, at the deadline, is none. */
const isGlance = ({ live, timeoutMs }: Schedule, { wait, at }: Sent): boolean =>
  live && wait === 0 && at < timeoutMs;

/** Whether an answer ends the wait at once: a refusal that is no 404, or a 404 for a session that nobody was told of. */
function mustRefuse(schedule: Schedule, played: Played, each: Sent): boolean {
  if (tells(schedule, each) !== 'refused' || isGlance(schedule, each)) return false;
  // The very moment of the end may come first.
  if ((each.answeredAt ?? 0) >= played.took) return false;
  if (schedule.kind === 'test' && each.wait > 0 && ['404', '405'].includes(each.step.name)) return false;
  const before = heardOf(played, each.id).filter(
    ({ answeredAt }) => (answeredAt ?? 0) <= (each.answeredAt ?? 0),
  );
  const isKnown = before.some((earlier) => tells(schedule, earlier) === 'running');
  return each.step.name !== '404' || !(schedule.justStarted || isKnown);
}

/** The pace, which holds also for a gate that was stopped. */
function judgePace({ sent, ids, lists }: Played): void {
  for (const { answeredAt, step } of lists) {
    const next = lists.find(({ at }) => answeredAt !== undefined && at > answeredAt);
    if (next && answeredAt !== undefined && step.retryAfterMs !== undefined)
      expect(next.at - answeredAt, 'Retry-After of a list').toBeGreaterThanOrEqual(step.retryAfterMs);
  }
  for (const id of ids) {
    const of = sent.filter((each) => each.id === id && !each.isListed);
    for (const [index, { at }] of of.slice(1).entries())
      expect(at - (of[index]?.at ?? 0), 'no two requests within a second').toBeGreaterThan(999.9);
    for (const { answeredAt, step } of of) {
      if (answeredAt === undefined || step.retryAfterMs === undefined) continue;
      const next = of.find(({ at }) => at > answeredAt);
      // Dates have whole seconds only.
      if (next) expect(next.at - answeredAt, 'Retry-After').toBeGreaterThan(step.retryAfterMs - 1000);
    }
  }
}

/** What every end of a gate must agree with. */
function judge(schedule: Schedule, played: Played): void {
  const { result, ids, took, sent } = played;
  judgePace(played);
  expect(took, 'the deadline').toBeLessThanOrEqual(schedule.timeoutMs + 1000);
  for (const { wait, at } of sent)
    expect(wait, 'maxWaitSeconds').toBeLessThanOrEqual(
      Math.min(30, Math.max(1, (schedule.timeoutMs - at) / 1000)),
    );
  if (!('outcomes' in result)) throw new Error('it was not stopped, and rejected', { cause: result.reason });
  expect(result.outcomes.map(({ id }) => id)).toEqual(ids);

  for (const { id, outcome, exitCode } of result.outcomes) {
    const heard = heardOf(played, id);
    const first = heard.find((each) => isEnd(tells(schedule, each)));
    if (outcome.kind === 'ended') {
      // Of two answers in one moment, either.
      const same = heard.filter(
        (each) => isEnd(tells(schedule, each)) && each.answeredAt === first?.answeredAt,
      );
      const codes = same.map((each) => {
        const word = tells(schedule, each);
        return word === 'DEGRADED' && schedule.failOnDegraded ? 1 : CODES[word];
      });
      expect(codes, 'a verdict that was seen').toContain(exitCode);
      continue;
    }
    // What came in the very moment of the deadline, or of another session's bad verdict, may count or not.
    const inTime = first !== undefined && (first.answeredAt ?? 0) < Math.min(took, schedule.timeoutMs);
    expect(inTime, `no verdict is overlooked (${outcome.kind})`).toBe(false);
    expect(exitCode, 'never 0 without a verdict').not.toBe(0);
    const final = heard.find((each) => mustRefuse(schedule, played, each));
    if (final) expect(outcome.kind, 'a refusal is final').toBe('refused');
    const last = heard.filter((each) => !isGlance(schedule, each)).at(-1);
    if (outcome.kind === 'refused') {
      expect(heard.some((each) => tells(schedule, each) === 'refused')).toBe(true);
      expect(exitCode).toBe(REFUSED[outcome.error.status] ?? 3);
    } else if (outcome.kind === 'left') {
      expect(schedule.failFast).toBe(true);
      expect(exitCode).toBe(7);
    } else {
      expect(took).toBeGreaterThanOrEqual(schedule.timeoutMs);
      expect(exitCode).toBe(outcome.kind === 'fault' ? 6 : 7);
      if (outcome.kind === 'deadline' && last)
        expect(tells(schedule, last), 'a fault at the end is told as such').not.toBe('fault');
    }
  }
  const codes = result.outcomes.map(({ exitCode }) => exitCode);
  expect(result.exitCode).toBe(PRECEDENCE.find((code) => codes.includes(code)) ?? 0);
}

/** Enough sessions that their list is read; each ends once. */
const manySessions = (step: fc.Arbitrary<Step>) =>
  fc.array(fc.array(step, { minLength: 1, maxLength: 4 }).map(untilEnd), { minLength: 51, maxLength: 60 });

describe('over any schedule of answers', () => {
  test(
    'all of that holds where a list tells of many sessions at once, whatever it is',
    async () => {
      const schedules = fc.record({
        ...settings,
        kind: fc.constant('check' as const),
        timeoutMs: fc.constantFrom(500, 3000, 20_000),
        sessions: manySessions(
          fc.oneof({ arbitrary: anyStep, weight: 1 }, { arbitrary: runningStep, weight: 3 }),
        ),
        lists: fc.array(anyList, { minLength: 1, maxLength: 5 }),
      });
      let listed = 0;
      await fc.assert(
        fc.asyncProperty(schedules, async (schedule) => {
          const played = await play(schedule);
          judge(schedule, played);
          const ended = new Set(played.sent.filter(({ isListed }) => isListed).map(({ id }) => id));
          if ('outcomes' in played.result)
            listed += played.result.outcomes.filter(
              ({ id, outcome }) => outcome.kind === 'ended' && ended.has(id),
            ).length;
        }),
        { numRuns: MANY_RUNS },
      );
      expect(listed, 'ends that a list told').toBeGreaterThan(0);
    },
    LONG,
  );

  test(
    'and many sessions that pass are green, however often the list fails before',
    async () => {
      const healing = fc.record({
        ...settings,
        kind: fc.constant('check' as const),
        timeoutMs: fc.constant(600_000),
        sessions: manySessions(
          fc.oneof({ arbitrary: passingStep, weight: 1 }, { arbitrary: runningStep, weight: 9 }),
        ).map((all) => all.map((steps) => [...steps, goodStep])),
        lists: fc.array(anyList, { maxLength: 4 }).map((steps) => [...steps, goodList]),
      });
      await fc.assert(
        fc.asyncProperty(healing, async (schedule) => {
          const played = await play(schedule);
          judge(schedule, played);
          expect(played.result).toMatchObject({ exitCode: 0 });
        }),
        { numRuns: MANY_RUNS },
      );
    },
    LONG,
  );

  test(
    'a verdict is the one that was seen first, nobody is asked twice a second, the deadline is kept, all is told',
    async () => {
      const seen = { codes: new Map<number, number>(), requests: 0 };
      await fc.assert(
        fc.asyncProperty(anySchedule, async (schedule) => {
          const played = await play(schedule);
          judge(schedule, played);
          if (!('exitCode' in played.result)) return;
          seen.requests += played.sent.length;
          seen.codes.set(played.result.exitCode, (seen.codes.get(played.result.exitCode) ?? 0) + 1);
        }),
        limits,
      );
      // Schedules that always end alike would prove little.
      for (const code of [0, 1, 3, 4, 6, 7, 8])
        expect(seen.codes.get(code) ?? 0, `exit ${code}`).toBeGreaterThan(0);
      expect(seen.requests).toBeGreaterThan(RUNS * 2);
    },
    LONG,
  );

  test(
    'what passes by itself is ridden out: a session that passes in the end is green',
    async () => {
      const healing = fc.record({
        ...settings,
        timeoutMs: fc.constant(600_000),
        sessions: fc.array(
          fc.array(passingStep, { maxLength: 6 }).map((steps) => [...steps, goodStep]),
          { minLength: 1, maxLength: 3 },
        ),
      });
      await fc.assert(
        fc.asyncProperty(healing, async (schedule) => {
          const played = await play(schedule);
          judge(schedule, played);
          expect(played.result).toMatchObject({ exitCode: 0 });
        }),
        limits,
      );
    },
    LONG,
  );

  test(
    'a person who interrupts is obeyed at once, and nothing is sent afterwards',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySchedule, fc.integer({ min: 0, max: 60_000 }), async (schedule, stopAt) => {
          const played = await play({ ...schedule, stopAt });
          judgePace(played);
          const { result, took, sent } = played;
          expect(sent.every(({ at }) => at <= stopAt)).toBe(true);
          if ('outcomes' in result) expect(took).toBeLessThanOrEqual(stopAt);
          else
            expect(result).toMatchObject({
              stoppedAt: stopAt,
              reason: { message: 'interrupted by a person' },
            });
        }),
        limits,
      );
    },
    LONG,
  );
});

/** When an attempt is followed by another, where, and how long after. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineOf, LIMITS } from '../../../../src/service/engine/sessions/plan-session.ts';
import {
  DOUBLE_CHECK,
  planRetry,
  type RetryPlan,
  type RetryStrategy,
  toRetryPlan,
} from '../../../../src/service/engine/sessions/retries.ts';

const START = Date.parse('2026-11-21T00:00:00Z');

interface Course {
  readonly plan: RetryPlan | null;
  /** How long each attempt takes, in seconds. */
  readonly takes?: number;
  /** Whether the network made each attempt fail; the last holds for all that follow. */
  readonly network?: readonly boolean[];
  readonly location?: string;
  readonly elsewhere?: readonly string[];
}

/** Every attempt of a run that never gets well: seconds after the first started, and where. */
function course({ plan, takes = 0, network = [false], location = 'a', elsewhere = [] }: Course) {
  const attempts = [{ at: 0, location }];
  for (let attempt = 0; ; attempt += 1) {
    const last = attempts[attempt] ?? { at: 0, location };
    const failed = {
      ...{ attempt, location: last.location, firstStartedAt: START },
      stoppedAt: START + (last.at + takes) * 1000,
      receivedAt: START + (last.at + takes) * 1000,
      isNetworkError: network[Math.min(attempt, network.length - 1)] ?? false,
    };
    const retry = planRetry(plan, failed, elsewhere);
    if (retry === undefined) return attempts;
    attempts.push({ at: (retry.notBefore - START) / 1000, location: retry.location });
  }
}
const startsOf = (of: Course): number[] => course(of).map(({ at }) => at);

describe('a retry strategy', () => {
  it('is FIXED, twice, 60 s apart, for 600 s, in the same region, unless it says otherwise', () => {
    expect(toRetryPlan({})).toEqual({
      type: 'FIXED',
      maxRetries: 2,
      baseBackoffSeconds: 60,
      maxDurationSeconds: 600,
      sameRegion: true,
      onlyOnNetworkError: false,
    });
  });

  // Seconds after the start of the first attempt at which each attempt starts.
  it.each<[RetryStrategy, takes: number, starts: number[]]>([
    [{}, 0, [0, 60, 120]],
    [{}, 5, [0, 65, 130]],
    [{ type: 'FIXED', baseBackoffSeconds: 10, maxRetries: 4 }, 0, [0, 10, 20, 30, 40]],
    [{ type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 3 }, 2, [0, 2, 4, 6]],
    [{ type: 'LINEAR', baseBackoffSeconds: 10, maxRetries: 4 }, 0, [0, 10, 30, 60, 100]],
    [{ type: 'LINEAR', baseBackoffSeconds: 10, maxRetries: 3 }, 1, [0, 11, 32, 63]],
    [{ type: 'EXPONENTIAL', baseBackoffSeconds: 3, maxRetries: 4 }, 0, [0, 3, 12, 39, 120]],
    [{ type: 'EXPONENTIAL', baseBackoffSeconds: 1, maxRetries: 3 }, 0, [0, 1, 2, 3]],
    [{ type: 'EXPONENTIAL', baseBackoffSeconds: 0, maxRetries: 2 }, 1, [0, 1, 2]],
    [{ type: 'EXPONENTIAL', baseBackoffSeconds: 60, maxRetries: 10 }, 0, [0, 60]],
    [{ type: 'SINGLE_RETRY', baseBackoffSeconds: 7, maxRetries: 5 }, 0, [0, 7]],
    [{ type: 'SINGLE_RETRY' }, 30, [0, 90]],
    [{ maxRetries: 10, maxDurationSeconds: 300 }, 0, [0, 60, 120, 180, 240]],
    [{ maxRetries: 10, maxDurationSeconds: 301 }, 0, [0, 60, 120, 180, 240, 300]],
    [{ maxRetries: 10, maxDurationSeconds: 300 }, 40, [0, 100, 200]],
    [{ baseBackoffSeconds: 0, maxDurationSeconds: 0 }, 0, [0]],
    [{ baseBackoffSeconds: 0, maxDurationSeconds: 1 }, 0, [0, 0, 0]],
    [{ baseBackoffSeconds: 600 }, 0, [0]],
    [{ maxRetries: 1, type: 'some newer one' }, 0, [0, 60]],
  ])('%j of attempts that take %i s starts them at %j s', (written, takes, starts) => {
    expect(startsOf({ plan: toRetryPlan(written), takes })).toEqual(starts);
  });

  it('null makes one attempt, doubleCheck a second one at once', () => {
    expect(startsOf({ plan: null })).toEqual([0]);
    expect(startsOf({ plan: DOUBLE_CHECK, takes: 3 })).toEqual([0, 3]);
  });

  // Whether the network made each attempt fail → how many attempts there are.
  it.each<[network: boolean[], attempts: number]>([
    [[false], 1],
    [[true], 4],
    [[true, false], 2],
    [[true, true, false], 3],
  ])('that is only for network errors follows %j with attempts up to number %i', (network, attempts) => {
    const plan = toRetryPlan({ onlyOn: ['NETWORK_ERROR'], maxRetries: 3 });
    expect(course({ plan, network })).toHaveLength(attempts);
  });

  // The location of the first attempt, those that may be used → where the attempts are made.
  it.each<[sameRegion: boolean, location: string, elsewhere: string[], where: string[]]>([
    [true, 'eu', ['eu', 'us', 'ap'], ['eu', 'eu', 'eu', 'eu']],
    [false, 'eu', ['eu', 'us', 'ap'], ['eu', 'us', 'ap', 'eu']],
    [false, 'ap', ['eu', 'us', 'ap'], ['ap', 'eu', 'us', 'ap']],
    [false, 'eu', ['eu'], ['eu', 'eu', 'eu', 'eu']],
    [false, 'eu', ['us'], ['eu', 'us', 'us', 'us']],
    [false, 'cellar', [], ['cellar', 'cellar', 'cellar', 'cellar']],
    [false, 'cellar', ['cellar', 'attic'], ['cellar', 'attic', 'cellar', 'attic']],
  ])('with sameRegion %j from %s and with %j goes to %j', (sameRegion, location, elsewhere, where) => {
    const plan = toRetryPlan({ sameRegion, maxRetries: 3, baseBackoffSeconds: 0 });
    expect(course({ plan, location, elsewhere }).map((attempt) => attempt.location)).toEqual(where);
  });
});

const anyPlan = fc
  .record(
    {
      type: fc.constantFrom('FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'),
      maxRetries: fc.integer({ min: 1, max: 10 }),
      baseBackoffSeconds: fc.oneof(fc.nat(5), fc.nat(600)),
      maxDurationSeconds: fc.nat(600),
      sameRegion: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map(toRetryPlan);

describe('any strategy', () => {
  it('makes no more attempts than it says, none after its duration, and never an earlier one', () => {
    fc.assert(
      fc.property(anyPlan, fc.nat(300), (plan, takes) => {
        const starts = startsOf({ plan, takes });
        expect(starts.length).toBeLessThanOrEqual(plan.maxRetries + 1);
        for (const [n, start] of starts.entries()) {
          if (n === 0) continue;
          expect(start).toBeLessThan(plan.maxDurationSeconds);
          expect(start).toBeGreaterThanOrEqual((starts[n - 1] ?? 0) + takes);
        }
      }),
    );
  });

  it('has a deadline for its session that the slowest worker keeps: each attempt claimed and ended last of all', () => {
    fc.assert(
      fc.property(anyPlan, fc.integer({ min: 1, max: 240 }), (plan, timeout) => {
        const claim = LIMITS.claimMs / 1000;
        let [attempt, start] = [0, 0];
        for (;;) {
          const failed = {
            ...{ attempt, location: 'a', isNetworkError: true, firstStartedAt: START },
            stoppedAt: START + (start + timeout) * 1000,
            receivedAt: START + (start + timeout) * 1000,
          };
          const retry = planRetry(plan, failed, []);
          if (retry === undefined) break;
          attempt += 1;
          start = (retry.notBefore - START) / 1000 + claim;
        }
        // The first was claimed last of all, too.
        const end = claim + start + timeout;
        const course = { retry: plan, timeoutMs: timeout * 1000, locations: ['eu-west-1'] };
        const deadline = (deadlineOf(START, course, LIMITS) - START) / 1000;
        expect(deadline).toBeGreaterThan(end);
        expect(deadline).toBeLessThanOrEqual(600 + 2 * claim + timeout + 60);
      }),
    );
  });
});

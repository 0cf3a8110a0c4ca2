/** A run's attempts as they are recorded: one sequence, every attempt but the last an ATTEMPT, at the planned instants. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backoffSeconds, toRetryPlan } from '../../../src/service/engine/sessions/retries.ts';
import { eventually } from '../../support/eventually.ts';
import { runs } from '../../support/sampled.ts';
import { createHarness, type Harness } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

const recorded = (checkId: string) =>
  at.engine.results.page({ accountId: at.accountId, checkId, resultType: 'ALL', limit: 100 });

const strategy = fc.record({
  type: fc.constantFrom('FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'),
  maxRetries: fc.integer({ min: 1, max: 4 }),
  baseBackoffSeconds: fc.nat(90),
  maxDurationSeconds: fc.constantFrom(0, 60, 300, 600),
  sameRegion: fc.boolean(),
});

describe('the attempts of a run', () => {
  it('are recorded under one sequence, FINAL last, each its pause after the one before', async () => {
    await fc.assert(
      fc.asyncProperty(strategy, fc.nat(5), async (retryStrategy, bad) => {
        const plan = toRetryPlan(retryStrategy);
        const check = await at.check({ retryStrategy });
        at.target.finds(...Array.from({ length: bad }, () => ({ hasFailures: true, errors: ['no'] })));
        const from = at.clock.now();
        const session = await at.run(check);
        const results = (await recorded(check)).entries.reverse();
        const starts = [0];
        for (let n = 1; n <= Math.min(plan.maxRetries, bad); n += 1) {
          const next = (starts.at(-1) ?? 0) + backoffSeconds(plan, n) * 1000;
          if (next >= plan.maxDurationSeconds * 1000) break;
          starts.push(next);
        }
        const byAttempt = results.toSorted((one, other) => (one.attempts ?? 0) - (other.attempts ?? 0));
        expect(byAttempt.map(({ startedAt }) => Date.parse(startedAt ?? '') - from)).toEqual(starts);
        expect(byAttempt.map(({ attempts }) => attempts)).toEqual(starts.map((_, n) => n));
        expect(byAttempt.map(({ resultType }) => resultType)).toEqual(
          starts.map((_, n) => (n === starts.length - 1 ? 'FINAL' : 'ATTEMPT')),
        );
        expect(new Set(results.map(({ sequenceId }) => sequenceId)).size).toBe(1);
        expect(new Set(results.map(({ checkRunId }) => checkRunId)).size).toBe(1);
        expect(session.status).toBe(bad < starts.length ? 'PASSED' : 'FAILED');
        at.target.clear();
      }),
      { numRuns: runs(3, 15) },
    );
  });

  it('go on in another region where they may, and on counting from the first start after a restart', async () => {
    const check = await at.check({
      locations: ['eu-west-1', 'us-east-1'],
      retryStrategy: { maxRetries: 9, baseBackoffSeconds: 50, maxDurationSeconds: 100, sameRegion: false },
    });
    at.target.finds(...Array.from({ length: 9 }, () => ({ hasFailures: true, errors: ['no'] })));
    const id = await at.start(check);
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.kill();
    await at.clock.advance(70_000);
    await at.engine.start();
    const waited = await at.clock.run(at.engine.awaitSession(at.accountId, id, 600_000));
    // The second was due at 50 s and made at 70 s; a third would start at 120 s, and 100 s are over.
    expect(waited?.session).toMatchObject({
      status: 'FAILED',
      results: [
        { runLocation: 'eu-west-1', resultType: 'ATTEMPT' },
        { runLocation: 'us-east-1', resultType: 'FINAL' },
      ],
    });
  });

  it('end with the session: what waits when its deadline passes is recorded, and says why', async () => {
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 300 } });
    at.target.finds({ hasFailures: true, errors: ['no'] });
    const id = await at.start(check);
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.kill();
    await at.clock.advance(60 * 60_000);
    await at.engine.start();
    expect(await at.read(id)).toMatchObject({
      status: 'TIMED_OUT',
      results: [
        { resultType: 'ATTEMPT', hasFailures: true },
        { resultType: 'FINAL', hasErrors: true, hasFailures: false, aborted: true },
      ],
    });
    const [last] = (await recorded(check)).entries;
    expect(last?.errors).toEqual([
      expect.stringMatching(/^the deadline of the session .* passed before this run/),
    ]);
  });
});

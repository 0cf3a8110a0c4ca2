/** When an attempt is followed by another, where, and how long after. */
import { describe, expect, it } from 'vitest';
import {
  backoffSeconds,
  DOUBLE_CHECK,
  type FailedAttempt,
  planRetry,
  retryPlanOf,
} from '../../../src/service/sessions/retries.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
const failed = (over: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attempt: 0,
  location: 'eu-west-1',
  firstStartedAt: START,
  stoppedAt: START + 1000,
  isNetworkError: false,
  ...over,
});

describe('a retry strategy', () => {
  it('is FIXED, twice, 60 s apart, for 600 s, in the same region, unless it says otherwise', () => {
    expect(retryPlanOf({})).toEqual({
      type: 'FIXED',
      maxRetries: 2,
      baseBackoffSeconds: 60,
      maxDurationSeconds: 600,
      sameRegion: true,
      onlyOnNetworkError: false,
    });
  });

  it('retries once with SINGLE_RETRY, whatever maxRetries says', () => {
    expect(retryPlanOf({ type: 'SINGLE_RETRY', maxRetries: 5 }).maxRetries).toBe(1);
  });

  it.each([
    ['FIXED', 10, [10, 10, 10]],
    ['LINEAR', 10, [10, 20, 30]],
    ['EXPONENTIAL', 3, [3, 9, 27]],
    ['EXPONENTIAL', 1, [1, 1, 1]],
    ['EXPONENTIAL', 0, [0, 0, 0]],
    ['SINGLE_RETRY', 7, [7, 7, 7]],
  ])('%s with a base of %i s pauses %j s', (type, baseBackoffSeconds, pauses) => {
    const plan = retryPlanOf({ type, baseBackoffSeconds });
    expect([1, 2, 3].map((n) => backoffSeconds(plan, n))).toEqual(pauses);
  });
});

describe('a retry', () => {
  it('starts one pause after the attempt before it stopped', () => {
    const plan = retryPlanOf({ type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 3 });
    expect(planRetry(plan, failed({ attempt: 1 }), [])).toEqual({
      notBefore: START + 1000 + 10_000,
      location: 'eu-west-1',
    });
  });

  it.each([
    ['there is no strategy', null, failed()],
    ['all retries are used up', retryPlanOf({ maxRetries: 2 }), failed({ attempt: 2 })],
    [
      'it would start after maxDurationSeconds',
      retryPlanOf({ maxDurationSeconds: 60, baseBackoffSeconds: 60 }),
      failed(),
    ],
    ['maxDurationSeconds is 0', retryPlanOf({ maxDurationSeconds: 0, baseBackoffSeconds: 0 }), failed()],
    [
      'only network errors are retried and this was none',
      retryPlanOf({ onlyOn: ['NETWORK_ERROR'] }),
      failed(),
    ],
  ])('is not planned where %s', (_, plan, attempt) => {
    expect(planRetry(plan, attempt, [])).toBeUndefined();
  });

  it('follows a network error where only those are retried', () => {
    const plan = retryPlanOf({ onlyOn: ['NETWORK_ERROR'] });
    expect(planRetry(plan, failed({ isNetworkError: true }), [])).toBeDefined();
  });

  it('takes the next location in turn where it need not be the same', () => {
    const where = (location: string, elsewhere: string[]) =>
      planRetry(DOUBLE_CHECK, failed({ location }), elsewhere)?.location;
    expect(where('eu-west-1', ['eu-west-1', 'us-east-1'])).toBe('us-east-1');
    expect(where('us-east-1', ['eu-west-1', 'us-east-1'])).toBe('eu-west-1');
    expect(where('eu-west-1', ['us-west-1'])).toBe('us-west-1');
    expect(where('cellar', [])).toBe('cellar');
  });

  it('comes at once, once, with doubleCheck', () => {
    expect(planRetry(DOUBLE_CHECK, failed(), [])?.notBefore).toBe(START + 1000);
    expect(planRetry(DOUBLE_CHECK, failed({ attempt: 1 }), [])).toBeUndefined();
  });
});

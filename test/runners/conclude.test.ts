/** What an answer comes to: limits of time, and failures that are wanted. */
import { describe, expect, it } from 'vitest';
import type { AssertionResult } from '../../src/runners/assertions/types.ts';
import { conclude, type Expectations, type Findings } from '../../src/runners/conclude.ts';

const GOOD: Findings = {
  networkErrors: [],
  timedOut: false,
  faults: [],
  assertions: [],
  responseTime: 500,
  details: { kept: true },
};

function assertion(changes: Partial<AssertionResult>): AssertionResult {
  return {
    source: 'S',
    property: '',
    comparison: 'EQUALS',
    target: '',
    regex: '',
    actual: null,
    passed: true,
    judged: true,
    message: '',
    ...changes,
  };
}

const FAILED = assertion({ passed: false, message: 'failed' });
const UNUSABLE = assertion({ passed: false, judged: false, message: 'unusable' });

describe('the limits of time', () => {
  it.each<[Expectations, string]>([
    [{}, 'good'],
    [{ degradedResponseTime: null, maxResponseTime: null }, 'good'],
    [{ degradedResponseTime: 500.001, maxResponseTime: 1000 }, 'good'],
    [{ degradedResponseTime: 500, maxResponseTime: 1000 }, 'degraded'],
    [{ degradedResponseTime: 100, maxResponseTime: 500 }, 'failed, over'],
    [{ degradedResponseTime: 100, maxResponseTime: 500.001 }, 'degraded'],
  ])('500 ms under %j are %s', (expectations, expected) => {
    const { hasFailures, isDegraded, overMaxResponseTime } = conclude(GOOD, expectations);
    const words = [hasFailures && 'failed', isDegraded && 'degraded', overMaxResponseTime && 'over'];
    expect(words.filter(Boolean).join(', ') || 'good').toBe(expected);
  });

  it('explain a degraded answer, beside what is noted already', () => {
    const details = { notes: ['over IPv4'] };
    expect(conclude({ ...GOOD, details }, { degradedResponseTime: 300 }).details).toEqual({
      notes: ['over IPv4', 'took 500 ms (degraded from 300 ms)'],
    });
    expect(conclude(GOOD, { degradedResponseTime: 600 }).details).toEqual({ kept: true });
  });

  it.each([
    [72_000, 60_000, 'took 1 min 12 s, the limit is 1 min'],
    [1203.25, 1000, 'took 1.2 s, the limit is 1 s'],
    // Rounded, both would be 1 s.
    [1003.5, 1000, 'took 1003.5 ms, the limit is 1000 ms'],
  ])('name a time of %d ms and a limit of %d ms', (responseTime, maxResponseTime, error) => {
    expect(conclude({ ...GOOD, responseTime }, { maxResponseTime }).errors).toEqual([error]);
  });

  it('are all exceeded by a wait that ran out', () => {
    const silent = { ...GOOD, responseTime: null, timedOut: true, networkErrors: ['no answer'] };
    expect(conclude(silent, { maxResponseTime: 5000 })).toMatchObject({
      overMaxResponseTime: true,
      isNetworkError: true,
      errors: ['no answer'],
    });
  });
});

describe('a missing answer', () => {
  it.each<[Partial<Findings>, Expectations, boolean | undefined]>([
    [{}, {}, undefined],
    [{ assertions: [FAILED] }, {}, undefined],
    // The outcome says so already.
    [{ networkErrors: ['refused'] }, {}, undefined],
    [{ networkErrors: ['refused'] }, { shouldFail: true }, true],
    [{ faults: ['late'], timedOut: true }, {}, true],
    [{ faults: ['late'], mayLackAnswer: true }, {}, true],
  ])('of %j under %j is named: %s', (changes, expectations, expected) => {
    expect(conclude({ ...GOOD, ...changes }, expectations).isUnanswered).toBe(expected);
  });
});

describe('shouldFail', () => {
  const expectations = { shouldFail: true };

  it('makes a pass of every kind of failure, and says what was expected', () => {
    for (const changes of [
      { faults: ['NXDOMAIN'] },
      { networkErrors: ['refused'] },
      { assertions: [FAILED] },
    ]) {
      const outcome = conclude({ ...GOOD, ...changes }, expectations);
      expect(outcome).toMatchObject({ hasFailures: false, isNetworkError: false, errors: [] });
      expect(outcome.details).toMatchObject({ kept: true, expectedFailures: [expect.any(String)] });
    }
  });

  it('makes a failure of a good answer', () => {
    expect(conclude(GOOD, expectations).errors).toEqual([
      'the check expects a failure, but it succeeded in 500 ms',
    ]);
  });

  it('never makes a pass of an assertion that is unusable in itself', () => {
    const outcome = conclude({ ...GOOD, faults: ['NXDOMAIN'], assertions: [UNUSABLE] }, expectations);
    expect(outcome).toMatchObject({ hasFailures: true, errors: ['unusable'] });
    expect(conclude({ ...GOOD, assertions: [UNUSABLE] }, {}).errors).toEqual(['unusable']);
  });
});

/** What an answer comes to: limits of time, and failures that are wanted. */
import { describe, expect, it } from 'vitest';
import type { AssertionResult } from '../../../src/runners/core/assertion.ts';
import { conclude, type Expectations, type Findings } from '../../../src/runners/core/conclude.ts';

const GOOD: Findings = {
  networkErrors: [],
  timedOut: false,
  faults: [],
  assertions: [],
  unanswered: 0,
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
    message: '',
    ...changes,
  };
}

const HELD = assertion({});
const FAILED = assertion({ passed: false, message: 'failed' });

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

describe('the rules of the check type', () => {
  it('fail the check unless an assertion decides instead', () => {
    expect(conclude({ ...GOOD, faults: ['answered 404'] }, {}).errors).toEqual(['answered 404']);
    expect(conclude({ ...GOOD, overruled: ['answered 404'] }, {}).errors).toEqual([]);
  });

  it('come before assertions and limits in the errors', () => {
    const found = { ...GOOD, faults: ['answered 404'], assertions: [FAILED], exceeded: ['lost 50 %'] };
    expect(conclude({ ...found, unusable: ['bad script'] }, { maxResponseTime: 400 }).errors).toEqual([
      ...['bad script', 'answered 404', 'failed', 'lost 50 %', 'took 500 ms, the limit is 400 ms'],
    ]);
  });
});

describe('shouldFail', () => {
  const expectations = { shouldFail: true };
  const SUCCEEDED = 'the check expects a failure, but the target succeeded in 500 ms';

  it.each<[string, Partial<Findings>]>([
    ['a fault', { faults: ['NXDOMAIN'] }],
    ['an error status that an assertion decides', { overruled: ['answered 404'], assertions: [HELD] }],
    ['a dead host', { networkErrors: ['refused'], responseTime: null }],
    ['a dead host that never answers', { networkErrors: ['late'], timedOut: true, responseTime: null }],
  ])('passes on %s, and says what was expected', (_name, changes) => {
    const outcome = conclude({ ...GOOD, ...changes }, { ...expectations, maxResponseTime: 1000 });
    expect(outcome).toMatchObject({ hasFailures: false, isNetworkError: false, errors: [] });
    expect(outcome).toMatchObject({ overMaxResponseTime: false });
    expect(outcome.details).toMatchObject({ kept: true, expectedFailures: [expect.any(String)] });
  });

  it.each<[string, Partial<Findings>, readonly string[]]>([
    ['a good answer', {}, [SUCCEEDED]],
    ['a good answer with assertions that hold', { assertions: [HELD] }, [SUCCEEDED]],
    ['a failed assertion alone', { assertions: [FAILED] }, [SUCCEEDED, 'failed']],
    ['an error with a failed assertion', { faults: ['answered 418'], assertions: [FAILED] }, ['failed']],
    ['an exceeded limit alone', { exceeded: ['lost 50 %'] }, [SUCCEEDED, 'lost 50 %']],
    ['an invalid check', { unusable: ['bad script'] }, ['bad script']],
    [
      'a dead host with assertions',
      { networkErrors: ['refused'], responseTime: null, unanswered: 2 },
      ['no answer, so the 2 assertions of the check fail: refused'],
    ],
    [
      'a dead host with one assertion',
      { networkErrors: ['refused'], responseTime: null, unanswered: 1 },
      ['no answer, so the assertion of the check fails: refused'],
    ],
  ])('fails on %s', (_name, changes, errors) => {
    expect(conclude({ ...GOOD, ...changes }, expectations)).toMatchObject({ hasFailures: true, errors });
  });

  it('applies the limits of the response time as always', () => {
    const expected = { ...GOOD, faults: ['answered 404'] };
    expect(conclude(expected, { ...expectations, degradedResponseTime: 500 })).toMatchObject({
      ...{ hasFailures: false, isDegraded: true },
    });
    expect(conclude(expected, { ...expectations, maxResponseTime: 500 })).toMatchObject({
      ...{ hasFailures: true, overMaxResponseTime: true },
    });
    // A slow success is a failure.
    expect(conclude(GOOD, { ...expectations, degradedResponseTime: 500 })).toMatchObject({
      ...{ hasFailures: true, isDegraded: false, errors: [SUCCEEDED] },
    });
  });
});

/** One attempt: its deadline, its outcome, and no secret in what it tells. */

import { describe, expect, it } from 'vitest';
import type { AbortSignalLike } from '../../src/base/abort.ts';
import { systemClock } from '../../src/base/clock.ts';
import {
  CannotRun,
  InvalidCheck,
  type RunContext,
  type Runner,
  type RunOutcome,
} from '../../src/runners/core/runner.ts';
import { type ExecuteOptions, execute } from '../../src/runners/execute.ts';
import { evaluateInProcess } from '../support/runners.ts';

const CONTEXT: RunContext = {
  clock: systemClock,
  evaluate: evaluateInProcess,
  location: 'test',
  resolvers: () => [],
};
const GOOD: RunOutcome = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: 1.5,
  errors: [],
  details: {},
};

function attempt(runner: Runner<null>, options: Partial<ExecuteOptions> = {}) {
  return execute(runner, null, CONTEXT, { deadlineMs: 20_000, ...options });
}

/** Settles when its signal is aborted, and not before. */
const endless: Runner<null> = (_check, _context, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('an attempt', () => {
  it('reports what the runner found, and when', async () => {
    const times = [1000, 1500];
    const context = { ...CONTEXT, clock: { ...systemClock, now: () => times.shift() ?? 0 } };
    const result = await execute(async () => GOOD, null, context, { deadlineMs: 20_000 });
    expect(result).toEqual({ ...GOOD, isCancelled: false, startedAt: 1000, stoppedAt: 1500 });
  });

  it('is a failure of the check, which alerts, when the check is invalid', async () => {
    expect(await attempt(async () => Promise.reject(new InvalidCheck('the url is wrong')))).toMatchObject({
      ...{ hasFailures: true, hasErrors: false, isNetworkError: false, errors: ['the url is wrong'] },
    });
  });

  it.each<[string, Runner<null>]>([
    ['rejects', async () => Promise.reject(new TypeError('x is undefined'))],
    [
      'throws at once',
      () => {
        throw new TypeError('x is undefined');
      },
    ],
  ])('is an error of ours when the runner %s', async (_, runner) => {
    expect(await attempt(runner)).toMatchObject({
      hasErrors: true,
      hasFailures: false,
      isCancelled: false,
      errors: ['internal error: x is undefined'],
    });
  });

  it('is an error of ours when the check cannot be run', async () => {
    const result = await attempt(async () => Promise.reject(new CannotRun('no resolver is set up')));
    expect(result).toMatchObject({ hasErrors: true, hasFailures: false, errors: ['no resolver is set up'] });
    // A lazy-loaded runner has its own copy of the class.
    const other = await attempt(async () => {
      throw Object.assign(new Error('no browser was found'), { name: 'CannotRun' });
    });
    expect(other.errors).toEqual(['no browser was found']);
  });

  it('is stopped at its deadline, as an error of ours, and its runner is told', async () => {
    let told: AbortSignalLike | undefined;
    const result = await attempt(
      (check, context, signal) => {
        told = signal;
        return endless(check, context, signal);
      },
      { deadlineMs: 10 },
    );
    expect(result).toMatchObject({
      hasErrors: true,
      hasFailures: false,
      errors: ['the run was stopped at its deadline of 10 ms'],
    });
    expect(told?.aborted).toBe(true);
  });

  it('is stopped at its deadline even where the runner does not listen', async () => {
    const result = await attempt(() => new Promise(() => {}), { deadlineMs: 10 });
    expect(result.hasErrors).toBe(true);
  });

  it('is cancelled by its caller, and then nothing counts as failed', async () => {
    const controller = new AbortController();
    const running = attempt(endless, { stop: controller });
    controller.abort();
    expect(await running).toMatchObject({
      isCancelled: true,
      hasErrors: false,
      hasFailures: false,
      errors: [],
    });
  });

  it('that is cancelled before its start does not run', async () => {
    let ran = false;
    const runner: Runner<null> = async () => {
      ran = true;
      return GOOD;
    };
    const stop = new AbortController();
    stop.abort();
    expect(await attempt(runner, { stop })).toMatchObject({ isCancelled: true });
    expect(ran).toBe(false);
  });
});

describe('secrets', () => {
  const secret = 'p@ss "word"/ü';

  it('appear nowhere in errors and details, in no encoding', async () => {
    const forms = [
      secret,
      `before ${secret} after`,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
    ];
    const runner: Runner<null> = async () => ({
      ...GOOD,
      errors: forms,
      details: { list: forms, deep: { [secret]: { number: 1, none: null, flag: true } } },
    });
    const result = await attempt(runner, { secrets: ['', secret] });
    expect(result.errors).toEqual(
      ['***', 'before *** after', '***', '"***"', '***', '***'].map((text, at) =>
        at === 4 ? expect.stringMatching(/^\*\*\*=*$/) : text,
      ),
    );
    expect(result.details.deep).toEqual({ '***': { number: 1, none: null, flag: true } });
    expect(JSON.stringify(result)).not.toContain('word');
  });

  it('that are very short deface no other text', async () => {
    const runner: Runner<null> = async () => ({ ...GOOD, details: { whole: 'a', part: 'answer' } });
    expect((await attempt(runner, { secrets: ['a'] })).details).toEqual({ whole: '***', part: 'answer' });
  });

  it('are masked whole where one is part of another', async () => {
    const runner: Runner<null> = async () => ({ ...GOOD, errors: ['key: abcdefgh'] });
    expect((await attempt(runner, { secrets: ['abcd', 'abcdefgh'] })).errors).toEqual(['key: ***']);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BAD, createHarness, type Harness, SLOW, until } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

const started = async (checkId: string) => {
  const [session] = await at.engine.startSessions({
    ...{ accountId: at.accountId, target: { checkId: [checkId] }, runSource: 'TRIGGER_API' },
  });
  if (session === undefined) throw new Error('nothing was started');
  return session.checkSessionId;
};
const read = async (id: string) => {
  const session = await at.engine.getSession(at.accountId, id);
  if (session === undefined) throw new Error('there is no such session');
  return session;
};

describe('a session', () => {
  it('runs at once when it is started, and ends with the verdict of its result', async () => {
    const check = await at.check({ name: 'names' });
    const session = await at.run(check);
    expect(session).toMatchObject({
      checkId: check,
      checkType: 'DNS',
      name: 'names',
      status: 'PASSED',
      startedAt: '2026-11-21T08:00:00.000Z',
      stoppedAt: '2026-11-21T08:00:00.000Z',
      timeElapsed: 0,
      runLocations: ['eu-west-1'],
      runSource: 'TRIGGER_API',
      results: [
        {
          checkId: check,
          name: 'names',
          runLocation: 'eu-west-1',
          hasErrors: false,
          hasFailures: false,
          isDegraded: false,
          aborted: false,
          isCancelled: false,
          checkType: 'DNS',
          resultType: 'FINAL',
        },
      ],
    });
    expect(session).not.toHaveProperty('checkSessionLink');
  });

  it.each([
    ['FAILED', BAD, 'failing'],
    ['DEGRADED', SLOW, 'degraded'],
    ['PASSED', {}, 'passing'],
    ['FAILED', { hasErrors: true, errors: ['the sandbox did not start'] }, 'failing'],
  ] as const)('ends as %s where its result says %j, and the check is %s', async (status, finding, of) => {
    const check = await at.check();
    at.target.finds(finding);
    expect((await at.run(check)).status).toBe(status);
    expect((await at.store.checks.get(at.accountId, check))?.status).toBe(of);
  });

  it('takes its locations in turn, one a session', async () => {
    const check = await at.check({ locations: ['eu-west-1', 'us-east-1', 'sa-east-1'] });
    for (let n = 0; n < 4; n++) await at.run(check);
    expect(at.target.attempts.map(({ location }) => location)).toEqual([
      'eu-west-1',
      'us-east-1',
      'sa-east-1',
      'eu-west-1',
    ]);
  });

  it('runs in all its locations at once where it is parallel, and the worst of them decides', async () => {
    const check = await at.check({ locations: ['eu-west-1', 'us-east-1', 'sa-east-1'], runParallel: true });
    at.target.finds(SLOW, BAD);
    const session = await at.run(check);
    expect(session.status).toBe('FAILED');
    expect(session.runLocations).toEqual(['eu-west-1', 'us-east-1', 'sa-east-1']);
    expect(session.results.map(({ runLocation }) => runLocation).sort()).toEqual([
      'eu-west-1',
      'sa-east-1',
      'us-east-1',
    ]);
  });

  it('shows that it is under way as soon as the first run has reported', async () => {
    at.target.finds(BAD);
    const check = await at.check({
      locations: ['eu-west-1', 'cellar'],
      privateLocations: ['cellar'],
      runParallel: true,
    });
    const id = await started(check);
    await until(async () => expect((await read(id)).status).toBe('PROGRESS_FAILED'));
    expect(await read(id)).toMatchObject({ stoppedAt: null });
  });

  it('runs in the first location of the service where the check names none', async () => {
    const session = await at.run(await at.check({ locations: null }));
    expect(session.runLocations).toEqual(['eu-west-1']);
  });

  it('takes locations, retries and activation from its group', async () => {
    const groupId = await at.group({
      locations: ['ap-south-1'],
      retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 0 },
    });
    const check = await at.check({ groupId });
    at.target.finds(BAD, BAD);
    const session = await at.run(check);
    expect(session.results.map(({ runLocation, resultType }) => [runLocation, resultType])).toEqual([
      ['ap-south-1', 'ATTEMPT'],
      ['ap-south-1', 'FINAL'],
    ]);
    await at.store.groups.replace(at.accountId, groupId, { name: 'a group', activated: false });
    expect(await at.engine.startSessions({ accountId: at.accountId, runSource: 'TRIGGER_API' })).toEqual([]);
  });

  it('belongs to its account: another sees, waits for and cancels nothing', async () => {
    const session = await at.run(await at.check());
    const other = (await at.store.accounts.create('other')).id;
    const { checkSessionId } = session;
    expect(await at.engine.getSession(other, checkSessionId)).toBeUndefined();
    expect(await at.engine.awaitSession(other, checkSessionId, 1000)).toBeUndefined();
    expect(await at.engine.cancelSession(other, checkSessionId)).toBe(false);
    expect((await at.engine.listSessions({ accountId: other })).entries).toEqual([]);
  });

  it('of a check that this build cannot run is an error that says so, and never passed', async () => {
    const check = await at.check({
      type: 'BROWSER',
      script: 'await page.goto()',
      retryStrategy: { maxRetries: 5 },
    });
    const session = await at.run(check);
    expect(session.status).toBe('FAILED');
    expect(session.results).toMatchObject([{ hasErrors: true, hasFailures: false, resultType: 'FINAL' }]);
    const [result] = await at.engine.results.list({ accountId: at.accountId, checkId: check });
    expect(result).toMatchObject({
      errors: [expect.stringContaining('stores BROWSER checks and does not run them yet')],
    });
  });
});

describe('what is started', () => {
  it('is chosen by tags: any of the groups, all of a group, without those that are negated', async () => {
    const tagged = async (name: string, tags: string[], more = {}) => at.check({ name, tags, ...more });
    await tagged('one', ['prod', 'dns']);
    await tagged('two', ['prod']);
    await tagged('three', ['prod', 'slow', 'dns']);
    await tagged('four', ['nightly'], { groupId: await at.group({ tags: ['dns', 'prod'] }) });
    await tagged('five', ['prod', 'dns'], { activated: false });
    const names = async (matchTags: string[][]) =>
      (
        await at.engine.startSessions({
          accountId: at.accountId,
          target: { matchTags },
          runSource: 'TRIGGER_API',
        })
      )
        .map(({ name }) => name)
        .sort();
    expect(await names([['prod', 'dns']])).toEqual(['four', 'one', 'three']);
    expect(await names([['prod', '!dns'], ['slow']])).toEqual(['three', 'two']);
    expect(await names([['unknown']])).toEqual([]);
  });
});

describe('retries', () => {
  it('wait their back-off, hold nobody up meanwhile, and share one sequence', async () => {
    const check = await at.check({
      retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 60, maxRetries: 2 },
    });
    at.target.finds(BAD, BAD, BAD);
    const session = await at.run(check);
    const begun = at.target.attempts[0]?.at ?? 0;
    expect(at.target.attempts.map((attempt) => attempt.at - begun)).toEqual([0, 60_000, 180_000]);
    expect(session).toMatchObject({ status: 'FAILED', timeElapsed: 180_000 });
    const results = await at.engine.results.list({
      accountId: at.accountId,
      checkId: check,
      resultType: 'ALL',
    });
    expect(results.map(({ attempts, resultType }) => [attempts, resultType])).toEqual([
      [2, 'FINAL'],
      [1, 'ATTEMPT'],
      [0, 'ATTEMPT'],
    ]);
    expect(new Set(results.map(({ sequenceId }) => sequenceId)).size).toBe(1);
    expect(new Set(results.map(({ checkRunId }) => checkRunId)).size).toBe(1);
  });

  it('end with the first attempt that is good, and the session has passed', async () => {
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 1 } });
    at.target.finds(BAD);
    const session = await at.run(check);
    expect(session.status).toBe('PASSED');
    expect(session.results.map(({ resultType, hasFailures }) => [resultType, hasFailures])).toEqual([
      ['ATTEMPT', true],
      ['FINAL', false],
    ]);
  });

  it('go to another location with doubleCheck, which holds where no strategy is given', async () => {
    const check = await at.check({ retryStrategy: undefined });
    at.target.finds(BAD);
    await at.run(check);
    expect(at.target.attempts.map(({ location }) => location)).toEqual(['eu-west-1', 'us-east-1']);
  });
});

describe('cancelling', () => {
  it('stops what runs, and the session is CANCELLED once that has stopped', async () => {
    at.target.hang();
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 0 } });
    const id = await started(check);
    await until(() => expect(at.target.hanging()).toBe(1));
    expect(await at.engine.cancelSession(at.accountId, id)).toBe(true);
    const waited = await at.engine.awaitSession(at.accountId, id, 1000);
    expect(waited).toMatchObject({
      ended: true,
      session: { status: 'CANCELLED', results: [{ isCancelled: true, aborted: true, resultType: 'FINAL' }] },
    });
    expect(at.target.hanging()).toBe(0);
    expect((await at.store.checks.get(at.accountId, check))?.status).toBeNull();
  });

  it('takes what waits out of the queue', async () => {
    const check = await at.check({ locations: null, privateLocations: ['cellar'] });
    const id = await started(check);
    expect((await at.engine.status()).queued).toBe(1);
    await at.engine.cancelSession(at.accountId, id);
    expect(await read(id)).toMatchObject({ status: 'CANCELLED', results: [{ isCancelled: true }] });
    expect((await at.engine.status()).queued).toBe(0);
  });

  it('takes a retry that backs off out of the queue', async () => {
    at.target.finds(BAD);
    const id = await started(await at.check({ retryStrategy: { baseBackoffSeconds: 300 } }));
    await until(async () => expect((await read(id)).results).toHaveLength(1));
    await at.engine.cancelSession(at.accountId, id);
    expect((await read(id)).status).toBe('CANCELLED');
    expect(at.target.attempts).toHaveLength(1);
  });

  it('changes nothing of a session that has ended', async () => {
    const { checkSessionId } = await at.run(await at.check());
    expect(await at.engine.cancelSession(at.accountId, checkSessionId)).toBe(true);
    expect((await read(checkSessionId)).status).toBe('PASSED');
  });

  it('happens to what runs of a check that is forgotten', async () => {
    at.target.hang();
    const check = await at.check();
    const id = await started(check);
    await until(() => expect(at.target.hanging()).toBe(1));
    await at.engine.forgetCheck(at.accountId, check);
    expect((await read(id)).status).toBe('CANCELLED');
    await at.store.checks.delete(at.accountId, check);
    expect(await at.engine.getSession(at.accountId, id)).toBeUndefined();
    expect(at.errors).toEqual([]);
  });
});

describe('time that runs out', () => {
  it('drops a run that no agent claims within 6 minutes, and says so', async () => {
    const check = await at.check({ locations: null, privateLocations: ['cellar'] });
    const session = await at.run(check);
    expect(session).toMatchObject({
      status: 'FAILED',
      timeElapsed: 360_000,
      results: [{ hasErrors: true, hasFailures: false, aborted: true, runLocation: 'cellar' }],
    });
    const [result] = await at.engine.results.list({ accountId: at.accountId, checkId: check });
    expect(result).toMatchObject({
      errors: [
        expect.stringMatching(/no agent of the private location cellar claimed this run within 6 minutes/),
      ],
      errorGroupIds: [],
    });
  });

  it('stops a run at its deadline as an error of the monitor', async () => {
    at.target.hang();
    const session = await at.run(await at.check());
    expect(session).toMatchObject({ status: 'FAILED', timeElapsed: 30_000, results: [{ hasErrors: true }] });
  });

  it('makes a session TIMED_OUT whose own deadline passes first', async () => {
    await at.close();
    at = await createHarness({ limits: { claimMs: 120_000, timeoutMs: () => 1 } });
    await at.engine.start();
    const check = await at.check({ locations: null, privateLocations: ['cellar'] });
    const id = await started(check);
    // The machine slept through it all.
    at.clock.step(10 * 60 * 1000);
    await at.clock.advance(60_000);
    const waited = await at.clock.run(at.engine.awaitSession(at.accountId, id, 3_600_000));
    expect(waited?.session).toMatchObject({
      status: 'TIMED_OUT',
      results: [{ hasErrors: true, aborted: true, resultType: 'FINAL' }],
    });
    expect((await at.engine.status()).queued).toBe(0);
  });
});

describe('waiting', () => {
  it('answers that a session still runs when the time is over, or at once when the caller leaves', async () => {
    at.target.hang();
    const id = await started(await at.check());
    const waited = await at.clock.run(at.engine.awaitSession(at.accountId, id, 5_000));
    expect(waited).toMatchObject({ ended: false, session: { status: 'STARTED', stoppedAt: null } });
    const left = new AbortController();
    const waiting = at.engine.awaitSession(at.accountId, id, 3_600_000, left.signal);
    left.abort();
    expect((await waiting)?.ended).toBe(false);
  });

  it('wakes a thousand at once without a poll', async () => {
    at.target.hang();
    const id = await started(await at.check());
    await until(() => expect(at.target.hanging()).toBe(1));
    const waiting = Array.from({ length: 1000 }, () => at.engine.awaitSession(at.accountId, id, 25_000));
    const before = at.clock.now();
    at.target.letGo();
    const waited = await Promise.all(waiting);
    expect(waited.every((each) => each?.session.status === 'PASSED')).toBe(true);
    expect(at.clock.now()).toBe(before);
  });
});

describe('lists of sessions', () => {
  it('show the newest first, page by page, by check and by state', async () => {
    const [one, two] = [await at.check({ name: 'one' }), await at.check({ name: 'two' })];
    at.target.finds({}, BAD);
    for (const check of [one, one, one, two, one]) {
      await at.run(check);
      await at.clock.advance(1000);
    }
    const { accountId } = at;
    const first = await at.engine.listSessions({ accountId, checkId: one, limit: 3 });
    expect(first).toMatchObject({ length: 3, nextId: expect.any(String) });
    const rest = await at.engine.listSessions({
      accountId,
      checkId: one,
      limit: 3,
      nextId: first.nextId ?? '',
    });
    expect(rest).toMatchObject({ length: 1, nextId: null });
    const starts = [...first.entries, ...rest.entries].map(({ startedAt }) => startedAt);
    expect(starts).toEqual([...starts].sort().reverse());
    expect((await at.engine.listSessions({ accountId, status: 'FAILED' })).length).toBe(1);
    await expect(at.engine.listSessions({ accountId, nextId: 'nonsense' })).rejects.toThrow('cursor');
  });
});

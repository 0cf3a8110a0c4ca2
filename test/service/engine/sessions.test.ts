/** A session from its start to its verdict, with its locations and retries. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, type Harness, SLOW } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

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
    const id = await at.start(check);
    await eventually(async () => expect((await at.read(id)).status).toBe('PROGRESS_FAILED'));
    expect(await at.read(id)).toMatchObject({ stoppedAt: null });
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
      errors: [expect.stringContaining('this version does not run BROWSER checks')],
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
    const check = await at.check({ retryStrategy: undefined, locations: ['eu-west-1', 'us-east-1'] });
    at.target.finds(BAD);
    await at.run(check);
    expect(at.target.attempts.map(({ location }) => location)).toEqual(['eu-west-1', 'us-east-1']);
  });
});

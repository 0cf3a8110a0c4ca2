/** What runs leave behind: results, error groups, test sessions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startLoopbackNameServer } from '../../../src/runners/dns/loopback-server.ts';
import { runners } from '../../../src/runners/index.ts';
import { capabilityLinks } from '../../../src/service/engine/capability.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import type { Runners } from '../../../src/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, createTarget, type Harness, SLOW, START } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

const groupsOf = (checkId: string) => at.engine.errorGroups.list({ accountId: at.accountId, checkId });

describe('error groups', () => {
  it('gather failures that differ in numbers only, and show when they were seen first and last', async () => {
    const check = await at.check();
    for (const ms of [1203.2, 1877]) {
      at.target.finds({ hasFailures: true, errors: [`took ${ms} ms, the limit is 1000 ms`] });
      await at.run(check);
      await at.clock.advance(60_000);
    }
    at.target.finds(BAD);
    await at.run(check);
    const groups = await groupsOf(check);
    expect(groups).toHaveLength(2);
    expect(groups[1]).toMatchObject({
      checkId: check,
      rawErrorMessage: 'took 1203.2 ms, the limit is 1000 ms',
      cleanedErrorMessage: 'took <duration>, the limit is <duration>',
      errorHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      firstSeen: new Date(START).toISOString(),
      lastSeen: new Date(START + 60_000).toISOString(),
      archivedUntilNextEvent: false,
    });
    const results = await at.engine.results.list({ accountId: at.accountId, checkId: check });
    expect(results.map(({ errorGroupIds }) => errorGroupIds)).toEqual([
      [groups[0]?.id],
      [groups[1]?.id],
      [groups[1]?.id],
    ]);
  });

  it('leave their archive at the next event, unless it is for ever; taking that back leaves none', async () => {
    const check = await at.check();
    const fail = async () => {
      at.target.finds(BAD);
      await at.run(check);
    };
    await fail();
    const [{ id = '' } = {}] = await groupsOf(check);
    const patch = (change: object) => at.engine.errorGroups.patch(at.accountId, id, change);
    expect((await patch({ archivedUntilNextEvent: true }))?.archivedUntilNextEvent).toBe(true);
    await fail();
    expect((await at.engine.errorGroups.get(at.accountId, id))?.archivedUntilNextEvent).toBe(false);
    const forEver = { archiveForEver: true, archivedUntilNextEvent: false };
    expect(await patch({ archiveForEver: true })).toMatchObject(forEver);
    await fail();
    expect(await groupsOf(check)).toMatchObject([forEver]);
    await patch({ archiveForEver: true, archivedUntilNextEvent: true });
    await fail();
    expect(await groupsOf(check)).toMatchObject([forEver]);
    await patch({ archivedUntilNextEvent: true });
    expect(await patch({ archiveForEver: false })).toMatchObject({
      ...{ archiveForEver: false, archivedUntilNextEvent: false },
    });
    expect(await at.engine.errorGroups.patch('another account', id, {})).toBeUndefined();
  });

  it('are several of a browser check with several failing tests, and one of other checks', async () => {
    const target = createTarget();
    const own = await createHarness({ runners: { BROWSER: target.runner, DNS: target.runner } });
    await own.engine.start();
    const groupsAfter = async (type: string, errors: readonly string[]) => {
      const check = await own.check({ type, script: 'x' });
      target.finds({ hasFailures: true, errors });
      await own.run(check);
      const query = { accountId: own.accountId, checkId: check };
      const [result] = await own.engine.results.list(query);
      const groups = new Map(
        (await own.engine.errorGroups.list(query)).map(({ id, rawErrorMessage }) => [id, rawErrorMessage]),
      );
      return (result?.errorGroupIds ?? []).map((id) => groups.get(id));
    };
    try {
      const errors = ['cart: took 12 ms', 'login: no button', 'cart: took 3 ms', 'login: no field'];
      expect(await groupsAfter('BROWSER', errors)).toEqual([errors[0], errors[1], errors[3]]);
      expect(await groupsAfter('DNS', errors)).toEqual([errors[0]]);
      const letters = [...'abcdefghijklmnopqrstuvwxyz'];
      const many = letters.map((letter) => `test ${letter} failed`);
      expect(await groupsAfter('BROWSER', many)).toEqual(many.slice(0, 10));
      const alike = Array.from({ length: 10_000 }, (_, index) => `took ${index} ms`);
      expect(await groupsAfter('BROWSER', [...alike, 'beyond'])).toEqual(['took 0 ms']);
    } finally {
      await own.close();
    }
  });

  it('are made of failures of the target alone', async () => {
    const check = await at.check();
    at.target.finds({ hasErrors: true, errors: ['the sandbox did not start'] });
    await at.run(check);
    expect(await groupsOf(check)).toEqual([]);
  });
});

describe('results', () => {
  it('are listed as the contract has them', async () => {
    const check = await at.check();
    await at.run(check);
    const [result] = await at.engine.results.list({ accountId: at.accountId, checkId: check });
    expect(result).toMatchObject({
      ...{ name: 'a check', checkId: check, hasFailures: false, hasErrors: false, isDegraded: false },
      ...{ isCancelled: false, overMaxResponseTime: false, runLocation: 'eu-west-1', responseTime: 12.345 },
      ...{ attempts: 0, resultType: 'FINAL', checkRunId: expect.any(Number), errorGroupIds: [] },
      startedAt: new Date(START).toISOString(),
      created_at: new Date(START).toISOString(),
      apiCheckResult: null,
      browserCheckResult: null,
      dnsCheckResult: { dns: { resolver: '127.0.0.1:53' } },
    });
    expect(await at.engine.results.get(at.accountId, result?.id ?? '')).toEqual(result);
    expect(await at.engine.results.get('another account', result?.id ?? '')).toBeUndefined();
  });

  it('are filtered, and bounded by seconds: from inclusive, to exclusive', async () => {
    const check = await at.check({
      locations: ['eu-west-1', 'us-east-1'],
      retryStrategy: { baseBackoffSeconds: 0, maxRetries: 1 },
    });
    at.target.finds({}, BAD, SLOW);
    await at.run(check);
    await at.clock.advance(10_000);
    await at.run(check);
    const from = START / 1000;
    const list = async (filter: object) =>
      (await at.engine.results.list({ accountId: at.accountId, checkId: check, ...filter })).map(
        ({ runLocation, resultType, hasFailures }) => `${runLocation} ${resultType} ${hasFailures}`,
      );
    const [first, attempt, final] = [
      'eu-west-1 FINAL false',
      'us-east-1 ATTEMPT true',
      'us-east-1 FINAL false',
    ];
    expect(await list({})).toEqual([final, first]);
    expect(await list({ resultType: 'ATTEMPT' })).toEqual([attempt]);
    expect((await list({ resultType: 'ALL' })).sort()).toEqual([first, attempt, final].sort());
    expect(await list({ location: 'eu-west-1' })).toEqual([first]);
    expect(await list({ resultType: 'ALL', hasFailures: true })).toEqual([attempt]);
    expect(await list({ checkType: 'BROWSER' })).toEqual([]);
    expect(await list({ from, to: from + 10 })).toEqual([first]);
    expect(await list({ from: from + 10, to: from + 11 })).toEqual([final]);
    expect(await list({ limit: 1, page: 2 })).toEqual([first]);
  });

  it('of the deprecated listing reach back 6 hours unless told, those of its replacement as far as there are any', async () => {
    const check = await at.check();
    await at.run(check);
    at.clock.step(6 * 3_600_000 + 1000);
    await at.run(check);
    const query = { accountId: at.accountId, checkId: check };
    expect(await at.engine.results.list(query)).toHaveLength(1);
    expect(await at.engine.results.list({ ...query, from: START / 1000 })).toHaveLength(1);
    const newest = await at.engine.results.page({ ...query, limit: 1 });
    expect(newest).toMatchObject({ length: 1, nextId: expect.any(String) });
    const older = await at.engine.results.page({ ...query, limit: 1, nextId: newest.nextId ?? '' });
    expect(older).toMatchObject({ length: 1, nextId: null });
    expect(older.entries[0]?.startedAt).toBe(new Date(START).toISOString());
    await expect(at.engine.results.page({ ...query, nextId: 'x' })).rejects.toThrow('cursor');
  });
});

describe('a test session', () => {
  const start = (more: object = {}) =>
    at.engine.testSessions.start({
      ...{ accountId: at.accountId, name: 'before the release', runLocation: 'us-east-1' },
      ...more,
    });

  it('runs all checks it means once in its location, and is as bad as the worst of them', async () => {
    const good = await at.check({ name: 'good', tags: ['web'] });
    await at.clock.advance(1);
    await at.check({ name: 'bad', tags: ['web'] });
    await at.check({ name: 'not meant' });
    at.target.finds({}, BAD);
    const started = await start({ target: { matchTags: [['web']] }, metadata: { commitId: 'abc' } });
    expect(started).toMatchObject({
      name: 'before the release',
      status: 'RUNNING',
      results: [],
      metadata: { commitId: 'abc' },
    });
    const id = started?.testSessionId ?? '';
    const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, 60_000));
    expect(waited?.ended).toBe(true);
    expect(waited?.session).toMatchObject({
      status: 'FAILED',
      stoppedAt: new Date(START + 1).toISOString(),
      errorGroupIds: [expect.any(String)],
    });
    expect(
      waited?.session.results?.map(({ name, status, runLocation }) => [name, status, runLocation]).sort(),
    ).toEqual([
      ['bad', 'FAILED', 'us-east-1'],
      ['good', 'PASSED', 'us-east-1'],
    ]);
    expect(await at.engine.testSessions.list({ accountId: at.accountId })).toMatchObject({
      length: 1,
      nextId: null,
    });
    const sources = (await engineStore(at.store).sessions.ofTest(id)).map(({ run_source }) => run_source);
    expect(sources).toEqual(['TEST_RECORD', 'TEST_RECORD']);
    // It is no session and no result of its checks, and says nothing of their state.
    expect((await at.engine.listSessions({ accountId: at.accountId })).entries).toEqual([]);
    expect(await at.engine.results.list({ accountId: at.accountId, checkId: good })).toEqual([]);
    expect((await at.store.checks.get(at.accountId, good))?.status).toBeNull();
  });

  it('runs deactivated checks only where it allows them, with its own retries', async () => {
    await at.check({ activated: false });
    expect(await start()).toBeUndefined();
    at.target.finds(BAD);
    const started = await start({
      target: { allowDeactivated: true },
      retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 5 },
    });
    const id = started?.testSessionId ?? '';
    const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, 60_000));
    expect(waited?.session).toMatchObject({ status: 'PASSED', timeElapsed: 5000 });
  });

  it('is CANCELLED once what ran has stopped', async () => {
    at.target.hang();
    await at.check({ name: 'one' });
    await at.check({ name: 'two' });
    const id = (await start())?.testSessionId ?? '';
    await eventually(() => expect(at.target.hanging()).toBe(2));
    expect(await at.engine.testSessions.cancel('another account', id)).toBe(false);
    expect(await at.engine.testSessions.cancel(at.accountId, id)).toBe(true);
    const waited = await at.engine.testSessions.await(at.accountId, id, 1000);
    expect(waited?.session).toMatchObject({
      status: 'CANCELLED',
      results: [{ status: 'CANCELLED' }, { status: 'CANCELLED' }],
    });
  });

  it.each([
    ['has failed', BAD, null, 'FAILED'],
    ['has passed', {}, null, 'CANCELLED'],
    ['still runs', BAD, { type: 'SINGLE_RETRY', baseBackoffSeconds: 300 }, 'CANCELLED'],
  ])(
    'cannot pass where a check that %s is deleted before the others have ended',
    async (_, finding, retryStrategy, status) => {
      const deleted = await at.check({ name: 'deleted', retryStrategy });
      await at.clock.advance(1);
      await at.check({ name: 'slow', retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 60 } });
      at.target.finds(finding, BAD);
      const id = (await start())?.testSessionId ?? '';
      const results = async () => (await at.engine.testSessions.get(at.accountId, id))?.results;
      await eventually(async () => expect(await results()).toHaveLength(2));
      await at.engine.deleteCheck(at.accountId, deleted, (tx) => tx.checks.delete(at.accountId, deleted));
      const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, 600_000));
      expect(waited).toMatchObject({ ended: true, session: { status } });
    },
  );
});

describe('a started group', () => {
  it('runs its checks in their order, no more at once than its concurrency', async () => {
    const groupId = await at.group({ concurrency: 2 });
    for (const [name, groupOrder] of [
      ['c', 3],
      ['a', 1],
      ['d', undefined],
      ['b', 2],
    ] as const) {
      await at.check({ name, groupId, ...(groupOrder === undefined ? {} : { groupOrder }) });
    }
    await at.check({ name: 'off', groupId, groupOrder: 0, activated: false });
    at.target.hang();
    const started = await at.engine.startGroup({
      accountId: at.accountId,
      groupId,
      runSource: 'GROUP_RUN_ALL',
    });
    expect(started.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    await eventually(() => expect(at.target.hanging()).toBe(2));
    await at.clock.advance(1000);
    expect(at.target.attempts.map(({ name }) => name)).toEqual(['a', 'b']);
    await at.engine.cancelSession(at.accountId, started[0]?.checkSessionId ?? '');
    await eventually(() => expect(at.target.attempts.map(({ name }) => name)).toEqual(['a', 'b', 'c']));
    at.target.letGo();
    const last = await at.clock.run(
      at.engine.awaitSession(at.accountId, started[3]?.checkSessionId ?? '', 60_000),
    );
    expect(last?.session).toMatchObject({ status: 'PASSED', runSource: 'GROUP_RUN_ALL' });
  });
});

describe('links', () => {
  it('are given where the service has pages', async () => {
    await at.close();
    at = await createHarness({ links: capabilityLinks('secret', () => 'https://sonde.example') });
    await at.engine.start();
    const session = await at.run(await at.check());
    expect(session.checkSessionLink).toContain(
      `https://sonde.example/check-sessions/${session.checkSessionId}/`,
    );
    expect(session.results[0]?.checkResultLink).toContain(session.results[0]?.checkResultId);
  });
});

describe('a DNS check', () => {
  it('asks a real name server, and its answer is kept with the result', async () => {
    await at.close();
    const server = await startLoopbackNameServer({
      records: { 'www.example': [{ type: 'A', data: '192.0.2.7' }] },
    });
    at = await createHarness({
      clock: systemClock,
      runners: runners as Runners,
      resolvers: () => [`${server.address}:${server.port}`],
    });
    try {
      await at.engine.start();
      const request = {
        query: 'www.example',
        assertions: [{ source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '192.0.2.7' }],
      };
      const check = await at.check({ request, maxResponseTime: 5000, degradedResponseTime: 5000 });
      const [started] = await at.engine.startSessions({ accountId: at.accountId, runSource: 'TRIGGER_API' });
      const waited = await at.engine.awaitSession(at.accountId, started?.checkSessionId ?? '', 120_000);
      expect(waited?.session.status).toBe('PASSED');
      const [result] = await at.engine.results.list({ accountId: at.accountId, checkId: check });
      expect(result?.responseTime).toBeGreaterThan(0);
      expect(result).toMatchObject({ dnsCheckResult: { dns: { response: { Status: 'NOERROR' } } } });
    } finally {
      await server.close();
    }
  });
});

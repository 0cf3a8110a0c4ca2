/** Results of runs: listing, filters and links; started groups; a DNS check against a real name server. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startLoopbackNameServer } from '../../../src/runners/dns/loopback-server.ts';
import { runners } from '../../../src/runners/index.ts';
import { capabilityLinks } from '../../../src/service/engine/sessions/capability.ts';
import type { Runners } from '../../../src/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, type Harness, SLOW, START } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

describe('results', () => {
  it('have the fields of the specification', async () => {
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

  it('can be filtered; `from` is inclusive and `to` exclusive, in seconds', async () => {
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

  it('go back 6 hours by default in the deprecated list, and without limit in its replacement', async () => {
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

describe('a started group', () => {
  it('runs its checks in order, and at most as many at once as its concurrency', async () => {
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
  it('are in sessions and results if the service has pages', async () => {
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
  it('queries a real name server and stores the answer with the result', async () => {
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

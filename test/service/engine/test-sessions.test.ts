/** Test sessions: selection of checks, retries, cancellation and status. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, type Harness, START } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

describe('a test session', () => {
  const start = (more: object = {}) =>
    at.engine.testSessions.start({
      ...{ accountId: at.accountId, name: 'before the release', runLocation: 'us-east-1' },
      ...more,
    });

  it('runs each selected check once in its location, and has the worst of their statuses', async () => {
    const good = await at.check({ name: 'good', tags: ['web'] });
    await at.clock.advance(1);
    await at.check({ name: 'bad', tags: ['web'] });
    await at.check({ name: 'not selected' });
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
    // A test session adds no session and no result to its checks, and does not change their state.
    expect((await at.engine.listSessions({ accountId: at.accountId })).entries).toEqual([]);
    expect(await at.engine.results.list({ accountId: at.accountId, checkId: good })).toEqual([]);
    expect((await at.store.checks.get(at.accountId, good))?.status).toBeNull();
  });

  it('has its share of the error groups, with its environments and times', async () => {
    const checkId = await at.check({ name: 'bad' });
    at.target.finds(BAD, BAD, BAD, BAD);
    const projects = await Promise.all(
      ['shop', 'other'].map((name) => at.store.projects.create(at.accountId, { name, logicalId: name })),
    );
    const [shop, other] = projects.map(({ id: projectId }) => ({ accountId: at.accountId, projectId }));
    await at.store.projects.addResource(String(shop?.projectId), {
      ...{ type: 'check', logicalId: 'bad', physicalId: checkId },
    });
    const target = { checkId: [checkId] };
    const fail = async (more: object) => {
      const started = await start({ target, ...more });
      return at.clock.run(at.engine.testSessions.await(at.accountId, started?.testSessionId ?? '', 60_000));
    };
    const { session } = (await fail({ metadata: { environment: 'staging' } })) ?? {};
    const [id = ''] = session?.errorGroupIds ?? [];
    await at.clock.advance(60_000);
    for (const metadata of [{ environment: 'production' }, {}]) await fail({ metadata });
    await at.clock.advance(1000);
    await at.engine.startSessions({ accountId: at.accountId, runSource: 'TRIGGER_API', target });
    await at.clock.advance(60_000);
    const { listTested, getTested, get } = at.engine.errorGroups;
    const group = await getTested(at.accountId, id);
    const first = new Date(START).toISOString();
    expect(group).toMatchObject({ id, environments: ['production', 'staging'], firstSeen: first });
    expect(group?.lastSeen).not.toBe((await get(at.accountId, id))?.lastSeen);
    expect(await listTested({ accountId: at.accountId })).toEqual([group]);
    expect(group?.projectId).toBe(shop?.projectId);
    const stranger = (await at.store.accounts.create('another')).id;
    const lists = [shop, other, { ...shop, accountId: stranger }, { accountId: stranger }];
    const listed = lists.map((of) => listTested({ accountId: at.accountId, ...of }));
    expect(await Promise.all(listed)).toEqual([[group], [], [], []]);
    expect(await getTested(stranger, id)).toBeUndefined();
  });

  it('runs deactivated checks only if it allows them, with its own retries', async () => {
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

  it('is CANCELLED after its runs have stopped', async () => {
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
    'cannot pass if a check that %s is deleted before the others have ended',
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

/** The engine on Postgres, where several services share the work. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { removeBatch } from '../../../src/service/engine/retention/retention.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { eventually } from '../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../support/postgres.ts';
import { BAD, createHarness, type Harness } from './harness.ts';

const WAIT_MS = 120_000;

describe('the engine on Postgres', () => {
  let server: Postgres;
  let one: Harness;
  let other: Harness;
  beforeAll(async () => {
    server = await openPostgres();
  });
  beforeEach(async () => {
    const url = await server.createDatabase();
    const options = { clock: systemClock, databaseUrl: url };
    one = await createHarness(options, { url });
    other = await createHarness(options, { url });
    await one.engine.start();
    await other.engine.start();
  });
  afterEach(async () => {
    await one.close();
    await other.close();
  });

  const start = async (checkId: string[]) =>
    one.engine.startSessions({ accountId: one.accountId, target: { checkId }, runSource: 'TRIGGER_API' });

  it('makes every attempt once, however many services share the database, and wakes waiters of each', async () => {
    const locations = ['eu-west-1', 'us-east-1', 'sa-east-1'];
    const checks = await Promise.all(
      Array.from({ length: 15 }, (_, n) => one.check({ name: `check ${n}`, locations, runParallel: true })),
    );
    const started = await start(checks);
    const waited = await Promise.all(
      started.map(({ checkSessionId }, n) =>
        (n % 2 === 0 ? one : other).engine.awaitSession(one.accountId, checkSessionId, WAIT_MS),
      ),
    );
    expect(waited.map((each) => each?.session.status)).toEqual(started.map(() => 'PASSED'));
    expect(waited.map((each) => each?.session.results.length)).toEqual(started.map(() => 3));
    const made = [...one.target.attempts, ...other.target.attempts].map(
      ({ name, location }) => `${name} ${location}`,
    );
    expect(made).toHaveLength(45);
    expect(new Set(made).size).toBe(45);
  });

  it('retries, groups failures and lists results as SQLite does', async () => {
    const check = await one.check({ retryStrategy: { maxRetries: 1, baseBackoffSeconds: 0 } });
    for (const { target } of [one, other]) target.finds(BAD, BAD);
    const [session] = await start([check]);
    const waited = await one.engine.awaitSession(one.accountId, session?.checkSessionId ?? '', WAIT_MS);
    expect(waited?.session).toMatchObject({
      status: 'FAILED',
      results: [{ resultType: 'ATTEMPT' }, { resultType: 'FINAL' }],
    });
    const query = { accountId: one.accountId, checkId: check };
    expect(await one.engine.errorGroups.list(query)).toHaveLength(1);
    const page = await one.engine.results.page({ ...query, resultType: 'ALL', limit: 1 });
    expect(page).toMatchObject({ length: 1, entries: [{ attempts: 1, responseTime: 12.345 }] });
    const next = await one.engine.results.page({
      ...query,
      resultType: 'ALL',
      limit: 1,
      nextId: page.nextId ?? '',
    });
    expect(next).toMatchObject({ nextId: null, entries: [{ attempts: 0 }] });
  });

  it('starts one session for a tick that both services find due', async () => {
    const check = await one.check({ frequency: 60, frequencyOffset: 1 });
    const rows = engineStore(one.store).schedule;
    const next = (await one.store.checks.get(one.accountId, check))?.nextRunAt ?? 0;
    await rows.advance(check, next, next - 60 * 60_000);
    await Promise.all([one.engine.rescheduleChecks([check]), other.engine.rescheduleChecks([check])]);
    await eventually(async () => {
      const { entries } = await other.engine.listSessions({ accountId: one.accountId, checkId: check });
      expect(entries).toMatchObject([{ status: 'PASSED', runSource: 'SCHEDULER' }]);
    });
    expect((await one.store.checks.get(one.accountId, check))?.nextRunAt).toBe(next);
  });

  it('cancels a test session of several checks', async () => {
    for (const harness of [one, other]) harness.target.hang();
    for (const name of ['a', 'b', 'c']) await one.check({ name });
    const session = await one.engine.testSessions.start({
      ...{ accountId: one.accountId, name: 'release', runLocation: 'cellar' },
    });
    const id = session?.testSessionId ?? '';
    await one.engine.testSessions.cancel(one.accountId, id);
    const waited = await other.engine.testSessions.await(one.accountId, id, WAIT_MS);
    expect(waited).toMatchObject({ ended: true, session: { status: 'CANCELLED' } });
  });

  it('stops what is cancelled in whichever service it runs', async () => {
    for (const harness of [one, other]) harness.target.hang();
    const { accountId } = one;
    const checkId = [await one.check({ name: 'a' }), await one.check({ name: 'b' })];
    const started = await other.engine.startSessions({
      ...{ accountId, target: { checkId }, runSource: 'TRIGGER_API' },
    });
    await eventually(async () => expect(other.target.hanging()).toBe(2));
    const ended = started.map(async ({ checkSessionId }) => {
      await one.engine.cancelSession(one.accountId, checkSessionId);
      return one.engine.awaitSession(one.accountId, checkSessionId, WAIT_MS);
    });
    const states = (await Promise.all(ended)).map((waited) => waited?.session.status);
    expect(new Set(states)).toEqual(new Set(['CANCELLED']));
  });

  it('keeps a suite of no check as long as it is needed, and no longer', async () => {
    const { accountId, store, engine } = one;
    const soon = () => Date.now() + 60_000;
    const { id: codeBundleId } = await store.codeBundles.save(accountId, Buffer.from('PK a project'));
    const session = await engine.testSessions.start({
      ...{ accountId, name: 'Shop', runLocation: 'cellar', suite: { codeBundleId } },
    });
    const id = session?.testSessionId ?? '';
    expect(await store.codeBundles.deleteUnused(soon())).toBe(0);
    await engine.testSessions.cancel(accountId, id);
    const waited = await other.engine.testSessions.await(accountId, id, WAIT_MS);
    expect(waited?.session.results).toMatchObject([{ checkId: null, name: 'Shop', status: 'CANCELLED' }]);
    expect((await engine.listSessions({ accountId })).entries).toEqual([]);
    expect(await engineStore(store).rollUps.pendingHours(soon(), 10)).toEqual([]);
    expect(await store.codeBundles.deleteUnused(soon())).toBe(1);
    while (await removeBatch(engineStore(store), soon()));
    expect(await engine.testSessions.get(accountId, id)).toBeUndefined();
  });
});

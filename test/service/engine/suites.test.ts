/** Suites that were sent for test sessions: run as Playwright checks are, though none is stored. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeBatch } from '../../../src/service/engine/retention/retention.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, createTarget, type Harness } from './harness.ts';

const HOUR = 3_600_000;
const ARCHIVE = Buffer.from('PK a project');
const BUNDLE = createHash('sha256').update(ARCHIVE).digest('hex');

/** What runs suites here, and what each was given. */
const target = createTarget();
let given: Record<string, unknown>[];
let at: Harness;
beforeEach(async () => {
  given = [];
  target.letGo();
  target.clear();
  at = await createHarness({
    runners: {
      async PLAYWRIGHT(check, context, signal) {
        given.push(check as Record<string, unknown>);
        return target.runner(check as { name: string }, context, signal);
      },
    },
  });
  await at.engine.start();
  await at.store.codeBundles.save(at.accountId, ARCHIVE);
});
afterEach(() => at.close());

const start = (more: object = {}) =>
  at.engine.testSessions.start({
    ...{ accountId: at.accountId, name: 'Shop', runLocation: 'eu-west-1' },
    suite: { codeBundleId: BUNDLE, pwTags: ['@smoke'], ...more },
  });
async function started(more: object = {}): Promise<string> {
  const session = await start(more);
  if (session === undefined) throw new Error('nothing was started');
  return session.testSessionId;
}
async function run(more: object = {}) {
  const id = await started(more);
  const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, HOUR));
  if (!waited?.ended) throw new Error('it did not end');
  return waited.session;
}
const rows = async (table: 'check_sessions' | 'results' | 'test_sessions' | 'error_groups') =>
  (await at.store.db.selectFrom(table).selectAll().execute()).length;

describe('a suite of a test session', () => {
  it('runs as a test, with what it names, and is told by the name of its session', async () => {
    const session = await run({ furtherLocations: ['us-east-1', 'eu-west-1'], engine: 'bun' });
    expect(session).toMatchObject({ name: 'Shop', status: 'PASSED', errorGroupIds: [] });
    expect(session.results).toMatchObject(
      ['eu-west-1', 'us-east-1'].map((runLocation) => ({
        ...{
          runLocation,
          checkId: null,
          name: 'Shop',
          checkType: 'PLAYWRIGHT',
          status: 'PASSED',
          errors: [],
        },
        playwrightCheckResult: { dns: { resolver: '127.0.0.1:53' } },
      })),
    );
    expect(given).toHaveLength(2);
    expect(given[0]).toMatchObject({
      ...{ codeBundleId: BUNDLE, pwTags: ['@smoke'], engine: 'bun', isTest: true, name: 'Shop' },
    });
  });

  it('sees the variables of the account and its own, which go before them', async () => {
    const account = engineStore(at.store).variables;
    await account.create(at.accountId, { key: 'HOST', value: 'one' });
    await account.create(at.accountId, { key: 'LANG', value: 'de' });
    await at.engine.testSessions.start({
      ...{ accountId: at.accountId, name: 'Shop', runLocation: 'eu-west-1', suite: { codeBundleId: BUNDLE } },
      environmentVariables: [{ key: 'HOST', value: 'two' }],
    });
    await eventually(() => expect(given).toHaveLength(1));
    const seen = given[0]?.environmentVariables as { key: string; value: string }[];
    expect(Object.fromEntries(seen.map(({ key, value }) => [key, value]))).toMatchObject({
      ...{ HOST: 'two', LANG: 'de' },
    });
  });

  it('leaves no check, no group of errors and nothing to roll up where it fails, and tells why', async () => {
    target.finds(BAD);
    const { status, results = [] } = await run();
    expect(status).toBe('FAILED');
    expect(results[0]).toMatchObject({ hasFailures: true, errors: BAD.errors, errorGroupIds: [] });
    expect(await at.store.checks.list(at.accountId)).toEqual([]);
    expect(await rows('error_groups')).toBe(0);
    expect((await at.engine.listSessions({ accountId: at.accountId })).entries).toEqual([]);
    expect(await engineStore(at.store).rollUps.pendingHours(at.clock.now() + HOUR, 10)).toEqual([]);
    expect(at.errors).toEqual([]);
  });

  it('is cancelled with its session', async () => {
    target.hang();
    const id = await started();
    await eventually(() => expect(target.hanging()).toBe(1));
    await at.engine.testSessions.cancel(at.accountId, id);
    const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, HOUR));
    expect(waited?.session).toMatchObject({ status: 'CANCELLED', results: [{ status: 'CANCELLED' }] });
  });

  it('is run again by the next process where the one that ran it was killed', async () => {
    target.hang();
    const id = await started();
    await eventually(() => expect(target.hanging()).toBe(1));
    target.clear();
    await at.kill();
    target.letGo();
    await at.engine.start();
    const waited = await at.clock.run(at.engine.testSessions.await(at.accountId, id, HOUR));
    expect(waited?.session).toMatchObject({ status: 'PASSED', results: [{ name: 'Shop' }] });
    expect(given).toHaveLength(2);
  });

  it('keeps its project folder while it runs, and for a while after that', async () => {
    const { codeBundles } = at.store;
    const drop = (before: number) => codeBundles.deleteUnused(before);
    await at.clock.advance(60_000);
    target.hang();
    await started();
    await eventually(() => expect(target.hanging()).toBe(1));
    expect(await drop(at.clock.now() + 1)).toBe(0);
    target.letGo();
    await eventually(async () => expect(await rows('results')).toBe(1));
    // As if it had been sent when it was started.
    expect(await drop(at.clock.now() - 30_000)).toBe(0);
    expect(await drop(at.clock.now() + 1)).toBe(1);
    expect(await start()).toBeUndefined();
  });

  it('goes with its session once that has been kept for long enough', async () => {
    target.finds(BAD);
    await run();
    const data = engineStore(at.store);
    expect(await removeBatch(data, at.clock.now())).toBe(false);
    while (await removeBatch(data, at.clock.now() + 1));
    for (const table of ['results', 'check_sessions', 'test_sessions'] as const)
      expect(await rows(table)).toBe(0);
  });
});

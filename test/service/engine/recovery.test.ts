/** What was under way comes to its end after kill -9 and after an orderly stop. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { eventually } from '../../support/eventually.ts';
import { createHarness, type Harness } from './harness.ts';

const MINUTE = 60_000;

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

async function underWay(fields: Record<string, unknown> = {}): Promise<string> {
  at.target.hang();
  const id = await at.start(await at.check(fields));
  await eventually(() => expect(at.target.hanging()).toBe(1));
  return id;
}
const ended = async (id: string) =>
  (await at.clock.run(at.engine.awaitSession(at.accountId, id, 3_600_000)))?.session;

describe('after kill -9', () => {
  it('a run that was under way is made again where its deadline allows', async () => {
    const id = await underWay();
    await at.kill();
    at.target.letGo();
    await at.engine.start();
    const session = await ended(id);
    expect(session).toMatchObject({ status: 'PASSED', results: [{ resultType: 'FINAL', hasErrors: false }] });
    // At once: in a file of its own nobody else can hold the run, so that its claim is not waited for.
    expect(session?.timeElapsed).toBeLessThan(30_000);
    expect(at.target.attempts).toHaveLength(2);
  });

  it('a run that ends the process each time is started three times, and becomes an error of the monitor', async () => {
    const id = await underWay();
    for (let restarts = 1; restarts <= 2; restarts += 1) {
      await at.kill();
      await at.engine.start();
      await eventually(() => expect(at.target.attempts).toHaveLength(1 + restarts));
    }
    await at.kill();
    await at.engine.start();
    const session = await ended(id);
    expect(session).toMatchObject({
      status: 'FAILED',
      results: [{ resultType: 'FINAL', hasErrors: true, hasFailures: false, aborted: true }],
    });
    const { accountId } = at;
    const [result] = await at.engine.results.list({ accountId, checkId: session?.checkId ?? '' });
    expect(result?.errors).toEqual([
      expect.stringMatching(/stopped during this run 3 times.*says nothing about the target/),
    ]);
    at.target.letGo();
    const next = await at.start(session?.checkId ?? '');
    expect(await ended(next)).toMatchObject({ status: 'PASSED' });
  });

  it('an orderly stop is no loss', async () => {
    const id = await underWay();
    for (let stops = 1; stops <= 4; stops += 1) {
      await at.clock.run(at.engine.stop());
      await at.kill();
      await at.engine.start();
      await eventually(() => expect(at.target.attempts).toHaveLength(1 + stops));
    }
    at.target.letGo();
    expect(await ended(id)).toMatchObject({ status: 'PASSED' });
  });

  it('a run whose time is over becomes a recorded, explained error of the monitor', async () => {
    const id = await underWay();
    await at.kill();
    await at.clock.advance(6 * MINUTE + 1);
    await at.engine.start();
    const session = await ended(id);
    expect(session).toMatchObject({
      status: 'FAILED',
      results: [{ hasErrors: true, hasFailures: false, aborted: true }],
    });
    const [result] = await at.engine.results.list({
      accountId: at.accountId,
      checkId: session?.checkId ?? '',
    });
    expect(result).toMatchObject({
      errors: [expect.stringMatching(/stopped during this run.*says nothing about the target/)],
    });
  });

  it('a session whose deadline has passed has timed out', async () => {
    const id = await underWay();
    await at.kill();
    await at.clock.advance(60 * MINUTE);
    await at.engine.start();
    expect(await ended(id)).toMatchObject({ status: 'TIMED_OUT', results: [{ hasErrors: true }] });
  });

  it('a session that was being cancelled is cancelled', async () => {
    const id = await underWay();
    // The request is stored; the process ends before the run has stopped.
    await engineStore(at.store).sessions.requestCancel(id, at.clock.now());
    await at.kill();
    await at.engine.start();
    expect(await ended(id)).toMatchObject({ status: 'CANCELLED', results: [{ isCancelled: true }] });
  });

  it('what had backed off is tried again at its time', async () => {
    at.target.finds({ hasFailures: true, errors: ['no'] });
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 120 } });
    const id = await at.start(check);
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.kill();
    await at.engine.start();
    expect(await ended(id)).toMatchObject({ status: 'PASSED', timeElapsed: 120_000 });
  });
});

describe('stopping', () => {
  it('claims no more, lets what runs finish, and stores it', async () => {
    const id = await underWay();
    const stopping = at.engine.stop();
    at.target.letGo();
    await at.clock.run(stopping);
    expect((await at.engine.getSession(at.accountId, id))?.status).toBe('PASSED');
    await at.engine.startSessions({ accountId: at.accountId, runSource: 'TRIGGER_API' });
    await at.clock.advance(MINUTE);
    expect(at.target.attempts).toHaveLength(1);
    expect(await at.engine.status()).toMatchObject({ running: false, active: 0, queued: 1 });
  });

  it('gives back what is not over within the grace, and the next start makes it again', async () => {
    const id = await underWay();
    await at.clock.run(at.engine.stop());
    expect(at.target.hanging()).toBe(0);
    expect((await at.engine.getSession(at.accountId, id))?.status).toBe('STARTED');
    await at.kill();
    at.target.letGo();
    await at.engine.start();
    expect(await ended(id)).toMatchObject({ status: 'PASSED', results: [{ resultType: 'FINAL' }] });
  });
});

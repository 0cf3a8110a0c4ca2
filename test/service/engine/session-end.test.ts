/** How sessions end before their checks do, and who learns of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { BAD, createHarness, type Harness } from './harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
  await at.engine.start();
});
afterEach(() => at.close());

describe('cancelling', () => {
  it('stops what runs, and the session is CANCELLED once that has stopped', async () => {
    at.target.hang();
    const check = await at.check({ retryStrategy: { baseBackoffSeconds: 0 } });
    const id = await at.start(check);
    await eventually(() => expect(at.target.hanging()).toBe(1));
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
    const id = await at.start(check);
    expect((await at.engine.status()).queued).toBe(1);
    await at.engine.cancelSession(at.accountId, id);
    expect(await at.read(id)).toMatchObject({ status: 'CANCELLED', results: [{ isCancelled: true }] });
    expect((await at.engine.status()).queued).toBe(0);
  });

  it('takes a retry that backs off out of the queue', async () => {
    at.target.finds(BAD);
    const id = await at.start(await at.check({ retryStrategy: { baseBackoffSeconds: 300 } }));
    await eventually(async () => expect((await at.read(id)).results).toHaveLength(1));
    await at.engine.cancelSession(at.accountId, id);
    expect((await at.read(id)).status).toBe('CANCELLED');
    expect(at.target.attempts).toHaveLength(1);
  });

  it('changes nothing of a session that has ended', async () => {
    const { checkSessionId } = await at.run(await at.check());
    expect(await at.engine.cancelSession(at.accountId, checkSessionId)).toBe(true);
    expect((await at.read(checkSessionId)).status).toBe('PASSED');
  });

  it('happens to what runs of a check that is forgotten', async () => {
    at.target.hang();
    const check = await at.check();
    const id = await at.start(check);
    await eventually(() => expect(at.target.hanging()).toBe(1));
    const waited = at.engine.awaitSession(at.accountId, id, 600_000);
    await at.engine.deleteCheck(at.accountId, check, (tx) => tx.checks.delete(at.accountId, check));
    expect(await waited).toMatchObject({ ended: true, session: { status: 'CANCELLED' } });
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
        expect.stringMatching(
          /no agent of the private location cellar that runs DNS checks claimed this run within 6 minutes/,
        ),
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
    const id = await at.start(check);
    // The service was away through it all.
    await at.kill();
    at.clock.step(10 * 60 * 1000);
    await at.engine.start();
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
    const id = await at.start(await at.check());
    const waited = await at.clock.run(at.engine.awaitSession(at.accountId, id, 5_000));
    expect(waited).toMatchObject({ ended: false, session: { status: 'STARTED', stoppedAt: null } });
    const left = new AbortController();
    const waiting = at.engine.awaitSession(at.accountId, id, 3_600_000, left.signal);
    left.abort();
    expect((await waiting)?.ended).toBe(false);
  });

  it('wakes a thousand at once without a poll', async () => {
    at.target.hang();
    const id = await at.start(await at.check());
    await eventually(() => expect(at.target.hanging()).toBe(1));
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

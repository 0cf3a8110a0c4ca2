/** A worker that waits is handed attempts by the transaction that makes them, and claims the others itself. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWakeSignal } from '../../../../src/base/wake-signal.ts';
import { createLocalPort } from '../../../../src/service/engine/sessions/local-port.ts';
import type { LeasedAttempt } from '../../../../src/service/engine/sessions/start-sessions.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { DatabaseFault } from '../../../../src/service/store/errors.ts';
import { createHarness, type Harness } from '../harness.ts';

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

/** A worker's port over the store, and what a claim of it has brought so far. */
async function waitingPort(places: () => number) {
  const work = createWakeSignal();
  const port = createLocalPort({
    ...{
      store: engineStore(at.store),
      clock: at.clock,
      workSignal: work,
      worker: 'here',
      leaseMs: 30_000,
      claimMs: 360_000,
    },
    report: async () => {},
  });
  const stop = new AbortController();
  const brought: number[] = [];
  const claimed = port.claim(places, stop.signal).then((jobs) => {
    brought.push(...jobs.map(({ id }) => id));
    return jobs;
  });
  await at.clock.advance(0);
  return { work, port, stop, brought, claimed };
}

const taken = (id: number): LeasedAttempt => ({
  id,
  run: { location: 'eu-west-1', timeout_ms: 1000 } as LeasedAttempt['run'],
  session: { id: `session ${id}`, check_type: 'DNS' } as LeasedAttempt['session'],
  plan: { check: {}, retry: null, elsewhere: [], secrets: [] },
});

it('gets what a transaction holds for it once that is committed, and can be told to stop it from its beginning', async () => {
  const { work, port, brought, claimed } = await waitingPort(() => 2);
  const reserved = port.reserve(at.clock.now());
  expect(reserved).toMatchObject({ worker: 'here', capacity: 2 });
  expect(port.reserve(at.clock.now())).toBeUndefined();
  reserved?.assign([taken(1)]);
  work.wake();
  await at.clock.advance(0);
  expect(brought).toEqual([]);
  // The transaction is committed: another may cancel its session before the worker hears of the attempt.
  port.stopRuns([1]);
  reserved?.end(true);
  const [job] = await claimed;
  expect(job).toMatchObject({ id: 1, checkType: 'DNS', location: 'eu-west-1' });
  expect(job?.stop.signal.aborted).toBe(true);
});

it('goes on waiting where the transaction was given up, and gets what another try of it holds alone', async () => {
  const { port, brought, claimed } = await waitingPort(() => 1);
  const reserved = port.reserve(at.clock.now());
  reserved?.assign([taken(1)]);
  reserved?.end(false);
  await at.clock.advance(0);
  expect(brought).toEqual([]);
  const again = port.reserve(at.clock.now());
  again?.assign([taken(2)]);
  again?.assign([taken(3)]);
  again?.end(true);
  await claimed;
  expect(brought).toEqual([3]);
});

it('has nothing to hand over to who has no place left, or is told to end', async () => {
  let places = 1;
  const { port, stop, claimed } = await waitingPort(() => places);
  places = 0;
  expect(port.reserve(at.clock.now())).toBeUndefined();
  stop.abort();
  expect(await claimed).toEqual([]);
  places = 1;
  expect(port.reserve(at.clock.now())).toBeUndefined();
});

it('looks into the store where the bell rings while it waits', async () => {
  const { work, brought, claimed } = await waitingPort(() => 1);
  const check = await at.check();
  await at.start(check);
  await at.clock.advance(0);
  expect(brought).toEqual([]);
  work.wake();
  await claimed;
  expect(brought).toHaveLength(1);
});

it('claims at once what a claim brought whose answer was lost', async () => {
  const real = engineStore(at.store);
  let isLost = true;
  const claim = async (...asked: Parameters<typeof real.runs.claim>) => {
    const runs = await real.runs.claim(...asked);
    if (!isLost) return runs;
    isLost = false;
    throw new DatabaseFault('the database cannot be reached', true, undefined);
  };
  const store: typeof real = Object.create(real, { runs: { value: { ...real.runs, claim } } });
  await at.start(await at.check());
  const port = createLocalPort({
    ...{
      store,
      clock: at.clock,
      workSignal: createWakeSignal(),
      worker: 'here',
      leaseMs: 30_000,
      claimMs: 360_000,
    },
    report: async () => {},
  });
  const { signal } = new AbortController();
  await expect(port.claim(() => 2, signal)).rejects.toBeInstanceOf(DatabaseFault);
  expect(await port.claim(() => 2, signal)).toMatchObject([{ checkType: 'DNS' }]);
});

it('claims runs ahead, renews them, reports those that are cancelled and releases the rest', async () => {
  const store = engineStore(at.store);
  const reported: unknown[] = [];
  const port = createLocalPort({
    ...{
      store,
      clock: at.clock,
      workSignal: createWakeSignal(),
      worker: 'here',
      leaseMs: 30_000,
      claimMs: 360_000,
      ahead: 3,
    },
    report: async (id, { isCancelled }) => void reported.push({ id, isCancelled }),
  });
  const check = await at.check();
  for (let run = 0; run < 5; run += 1) await at.start(check);
  const { signal } = new AbortController();
  const held = async () => (await store.runs.heldBy('here')).map(({ id }) => id);
  const [first] = await port.claim(() => 1, signal);
  const [one = 0, two = 0, three = 0, four = 0] = await held();
  expect([first?.id, await held()]).toEqual([one, [one, two, three, four]]);
  await at.clock.advance(20_000);
  await port.renew([one]);
  expect((await store.runs.expired(at.clock.now() + 29_999, 5)).length).toBe(0);
  expect((await port.claim(() => 1, signal)).map(({ id }) => id)).toEqual([two]);
  port.stopRuns([three]);
  expect(reported).toEqual([{ id: three, isCancelled: true }]);
  await port.releaseNext();
  expect(await held()).toEqual([one, two, three]);
  expect(await port.claim(() => 9, signal)).toHaveLength(2);
});

/** Runs in private locations: queued by the schedule for the agents of their account, and for nobody else. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { LIMITS } from '../../../../src/service/engine/sessions/plan-session.ts';
import { recordReports } from '../../../../src/service/engine/sessions/record-reports.ts';
import { poolOf } from '../../../../src/service/engine/sessions/settings.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, createHarness, type Harness, START } from '../harness.ts';

const MINUTE = 60_000;
const REPORT = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, isCancelled: false, responseTime: 1, errors: [], details: {} },
};

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

/** What an agent of a location gets, who asks for ten runs at once. */
const claim = (location: string, accountId: string, worker = 'agent') =>
  engineStore(at.store).runs.claim({
    ...{ worker, accountId, pool: poolOf(location), now: at.clock.now(), limit: 10 },
    leaseUntil: at.clock.now() + 5 * MINUTE,
  });

/** What an agent found of runs, as its reports come in, all at once. */
const reports = (worker: string, found: readonly (readonly [runId: number | undefined, more: object])[]) =>
  engineStore(at.store).atomically((data, tx) =>
    recordReports(
      { data, tx, now: at.clock.now(), random: systemRandom, limits: LIMITS, onEnded: undefined },
      found.map(([runId = 0, more]) => ({
        ...{ worker, runId },
        report: { ...REPORT, startedAt: START, stoppedAt: at.clock.now(), ...more },
      })),
    ),
  );
const report = (worker: string, runId: number | undefined, more: object = {}) =>
  reports(worker, [[runId, more]]);

it('are queued at their tick for the agents of their location and account, each for one of them', async () => {
  await at.engine.start();
  await at.check({
    ...{ frequency: 1, frequencyOffset: 5, runParallel: true },
    ...{ locations: ['eu-west-1'], privateLocations: ['cellar', 'attic'] },
  });
  await at.clock.advance(31_000);
  await eventually(() => expect(at.target.attempts.map(({ location }) => location)).toEqual(['eu-west-1']));
  expect((await at.engine.status()).queued).toBe(2);

  const stranger = (await at.store.accounts.create('another')).id;
  expect(await claim('cellar', stranger)).toEqual([]);
  expect(await claim('eu-west-1', at.accountId)).toEqual([]);
  const [one, other] = [
    await claim('cellar', at.accountId, 'one'),
    await claim('cellar', at.accountId, 'other'),
  ];
  expect(one).toMatchObject([{ location: 'cellar', claimed_by: 'one' }]);
  expect(other).toEqual([]);
  expect(await claim('attic', at.accountId)).toMatchObject([{ location: 'attic' }]);
  expect((await at.engine.status()).queued).toBe(0);
  expect((await at.engine.listSessions({ accountId: at.accountId })).entries).toMatchObject([
    { status: 'PROGRESS', runSource: 'SCHEDULER', runLocations: ['eu-west-1', 'cellar', 'attic'] },
  ]);
});

it('are claimable again five minutes after their agent was last heard of, while the session has time', async () => {
  await at.engine.start();
  const id = await at.start(await at.check({ locations: null, privateLocations: ['cellar'] }));
  expect(await claim('cellar', at.accountId, 'dead')).toHaveLength(1);
  await at.clock.advance(5 * MINUTE - 1);
  expect(await claim('cellar', at.accountId, 'next')).toEqual([]);
  await at.clock.advance(1001);
  expect(await claim('cellar', at.accountId, 'next')).toMatchObject([{ attempt: 0, claimed_by: 'next' }]);
  await at.clock.advance(5 * MINUTE + 1001);
  expect(await claim('cellar', at.accountId, 'last')).toMatchObject([{ attempt: 0, claimed_by: 'last' }]);
  await at.clock.advance(3 * MINUTE);
  await eventually(async () =>
    expect(await at.read(id)).toMatchObject({
      status: 'TIMED_OUT',
      results: [{ resultType: 'FINAL', hasErrors: true, hasFailures: false }],
    }),
  );
});

it('go to no other agent where their session was cancelled meanwhile', async () => {
  await at.engine.start();
  const id = await at.start(await at.check({ locations: null, privateLocations: ['cellar'] }));
  expect(await claim('cellar', at.accountId, 'dead')).toHaveLength(1);
  await at.engine.cancelSession(at.accountId, id);
  expect((await at.read(id)).status).toBe('STARTED');
  await at.clock.advance(5 * MINUTE + 1001);
  await eventually(async () =>
    expect(await at.read(id)).toMatchObject({ status: 'CANCELLED', results: [{ isCancelled: true }] }),
  );
  expect(await claim('cellar', at.accountId, 'next')).toEqual([]);
});

it('are not tried again where their session was cancelled meanwhile', async () => {
  const fields = { locations: null, privateLocations: ['cellar'], retryStrategy: { maxRetries: 1 } };
  const id = await at.start(await at.check(fields));
  const [run] = await claim('cellar', at.accountId, 'holder');
  await at.engine.cancelSession(at.accountId, id);
  await report('holder', run?.id, { hasFailures: true, errors: ['no'] });
  expect(await at.read(id)).toMatchObject({ status: 'CANCELLED', results: [{ resultType: 'FINAL' }] });
});

it('have the result of the agent that holds them, once, and of no other', async () => {
  const id = await at.start(await at.check({ locations: null, privateLocations: ['cellar'] }));
  const [run] = await claim('cellar', at.accountId, 'holder');
  await report('another', run?.id, { hasFailures: true, errors: ['no'] });
  expect((await at.read(id)).results).toEqual([]);
  await report('holder', run?.id);
  await report('holder', run?.id, { hasFailures: true, errors: ['no'] });
  expect(await at.read(id)).toMatchObject({ status: 'PASSED', results: [{ hasFailures: false }] });
});

it('are no pass and no cancellation where their agent broke them off by itself', async () => {
  const id = await at.start(await at.check({ locations: null, privateLocations: ['cellar'] }));
  const [run] = await claim('cellar', at.accountId, 'holder');
  await report('holder', run?.id, { isCancelled: true });
  expect(await at.read(id)).toMatchObject({
    status: 'FAILED',
    results: [{ hasErrors: true, hasFailures: false, isCancelled: false }],
  });
});

it.each([
  [undefined, 'ATTEMPT'],
  [false, 'FINAL'],
] as const)(
  'that failed are tried again unless their report says that it is no use: %s',
  async (mayRetry, type) => {
    const retryStrategy = { maxRetries: 1, baseBackoffSeconds: 60 };
    const fields = { locations: null, privateLocations: ['cellar'], retryStrategy };
    const id = await at.start(await at.check(fields));
    const [run] = await claim('cellar', at.accountId, 'holder');
    await report('holder', run?.id, {
      ...{ hasErrors: true, errors: ['ours'] },
      ...(mayRetry === undefined ? {} : { mayRetry }),
    });
    expect((await at.read(id)).results).toMatchObject([{ resultType: type }]);
  },
);

it('leave their check as the one that started last says, in whatever order they are reported', async () => {
  const check = await at.check({ locations: null, privateLocations: ['cellar'] });
  for (const [first, last, status] of [
    [{}, BAD, 'failing'],
    [BAD, {}, 'passing'],
  ] as const) {
    await at.start(check);
    await at.clock.advance(1000);
    await at.start(check);
    const [one, other] = await claim('cellar', at.accountId, 'holder');
    await reports('holder', [
      [other?.id, last],
      [one?.id, first],
    ]);
    expect((await at.store.checks.get(at.accountId, check))?.status).toBe(status);
  }
});

it('are sampled every minute, with the time that the first of them has waited', async () => {
  const body = { name: 'Cellar', slugName: 'cellar' };
  const { id } = await at.store.privateLocations.create(at.accountId, body as never);
  await at.engine.start();
  await at.check({ frequency: 1, frequencyOffset: 5, locations: [], privateLocations: ['cellar'] });
  await at.clock.advance(2 * MINUTE);
  const samples = await at.store.locationQueues.samples(id, START, START + 3 * MINUTE);
  expect(samples).toEqual([
    { sampledAt: START + MINUTE, queueSize: 1, oldestMs: MINUTE / 2 },
    { sampledAt: START + 2 * MINUTE, queueSize: 2, oldestMs: 1.5 * MINUTE },
  ]);
  await at.store.locationQueues.deleteBefore(START + 2 * MINUTE);
  expect(await at.store.locationQueues.samples(id, 0, START + 3 * MINUTE)).toEqual(samples.slice(1));
});

/** What becomes of a run whose agent has died, or whose service was away, on a clock of the test's own. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import * as contract from '../../../src/contract/index.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { byHand } from '../../support/by-hand.ts';
import { call } from '../../support/call.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { TestService } from '../../support/service.ts';
import { createAgent, createCheckAt, createPlace, type Place, readSession, startSession } from './support.ts';

const SECOND = 1000;
let folder: string;
let clock: ManualClock;
let service: Service;
let at: TestService;
let place: Place;
let check: string;
let key: { accountId: string; apiKey: string };

async function start(): Promise<void> {
  service = await createService({
    ...{ store: { path: join(folder, 'sonde.db') }, listen: { host: '127.0.0.1', port: 0 } },
    ...{ clock, random: systemRandom, engine: { graceMs: 0, locations: ['eu-west-1'] } },
  });
  const { url, port } = await service.start();
  key = service.firstAccount ?? key;
  at = { url, port, service, store: service.store, ...key } as TestService;
}
beforeEach(async () => {
  folder = await temporaryFolder();
  clock = createManualClock();
  await start();
  place = await createPlace(at, 'cellar');
  check = await createCheckAt(at, [place.slug], byHand(clock.now()));
});
afterEach(() => service.stop());

/** Agents of the location at the service as it listens now. */
const agentOf = () => createAgent({ ...place, asAgent: { ...place.asAgent, url: at.url } });
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    await clock.advance(Math.min(left, 10) * SECOND);
    for (let turn = 0; turn < 5; turn += 1) await service.store.heartbeats.nextDue();
  }
}

it.each([20, 90, 200])(
  'a run whose agent has died after %d s is claimable again after 300 s more',
  async (heard) => {
    const [dead, next] = [agentOf(), agentOf()];
    const session = await startSession(at, check);
    const [lost] = await dead.claim();
    await pass(heard);
    expect(await dead.renew([lost?.id ?? 0])).toMatchObject({ held: [lost?.id] });
    await pass(295);
    expect(await next.claim()).toEqual([]);
    await pass(15);
    const [run] = await next.claim();
    expect(run?.id).toBe(lost?.id);
    if (run) await next.report(run);
    expect(await readSession(at, session)).toMatchObject({ status: 'PASSED', results: [{}] });
    if (lost) expect(await dead.report(lost)).toMatchObject({ outcome: 'NOT_HELD' });
  },
);

it('a run whose agent has died and that nobody claims again is recorded as such', async () => {
  const session = await startSession(at, check);
  await agentOf().claim();
  await pass(800);
  const { status, results } = await readSession(at, session);
  expect(status).not.toBe('STARTED');
  expect(results).toMatchObject([{ hasErrors: true, hasFailures: false }]);
});

it('a result that an agent kept while the service was away is taken when it is back', async () => {
  const agent = agentOf();
  const session = await startSession(at, check);
  const [run] = await agent.claim();
  await service.stop();
  await clock.advance(400 * SECOND);
  await start();
  const resumed = { ...createAgent({ ...place, asAgent: { ...place.asAgent, url: at.url } }) };
  await pass(20);
  if (run)
    expect(await resumed.report(run, { agentId: agent.agentId })).toMatchObject({ outcome: 'RECORDED' });
  expect(await readSession(at, session)).toMatchObject({ status: 'PASSED', results: [{}] });
});

const RETRIED = { type: 'FIXED', baseBackoffSeconds: 10, maxRetries: 1, maxDurationSeconds: 600 } as const;
/** Claims a run of a check with a retry, and is alone with it: its service is away for so long. */
async function failedWhileAway(seconds: number) {
  const agent = agentOf();
  const more = { ...byHand(clock.now()), retryStrategy: RETRIED };
  const retried = await createCheckAt(at, [place.slug], more);
  const session = await startSession(at, retried);
  const [run] = await agent.claim();
  await service.stop();
  await clock.advance(seconds * SECOND);
  await start();
  await pass(20);
  const ago = (past: number) => Date.now() - past * SECOND;
  const report = { hasFailures: true, startedAt: ago(seconds + 15), stoppedAt: ago(seconds + 10) };
  const back = agentOf();
  if (run)
    expect(await back.report(run, { agentId: agent.agentId, report })).toMatchObject({ outcome: 'RECORDED' });
  return { back, session };
}

it('a failure that an agent kept while the service was away has a retry that can be claimed', async () => {
  const { back, session } = await failedWhileAway(400);
  const [retry] = await back.claim();
  expect(retry).toBeDefined();
  if (retry) await back.report(retry, { report: { hasFailures: true } });
  const { status, results } = await readSession(at, session);
  expect({ status, failed: results.map(({ hasFailures }) => hasFailures) }).toEqual({
    ...{ status: 'FAILED', failed: [true, true] },
  });
});

it('a failure that is heard of when no retry may start any more is what the check came to', async () => {
  const { back, session } = await failedWhileAway(700);
  expect(await readSession(at, session)).toMatchObject({
    status: 'FAILED',
    results: [{ hasFailures: true }],
  });
  expect(await back.claim()).toEqual([]);
});

it('a run that an agent gives back late goes to another, not to those that nobody claimed', async () => {
  const [leaving, next] = [agentOf(), agentOf()];
  const session = await startSession(at, check);
  const [run] = await leaving.claim();
  for (let minutes = 0; minutes < 7; minutes += 1) {
    await pass(60);
    await leaving.renew([run?.id ?? 0]);
  }
  await leaving.release();
  await pass(10);
  const [again] = await next.claim();
  expect(again?.id).toBe(run?.id);
  if (again) await next.report(again);
  expect(await readSession(at, session)).toMatchObject({ status: 'PASSED', results: [{}] });
});

it.each([
  [{ startedAt: 1e300 }, 'startedAt', 'must be at most'],
  [{ stoppedAt: 1e300 }, 'stoppedAt', 'must be at most'],
  [{ stoppedAt: -1 }, 'stoppedAt', 'must be at least 0'],
  [{ startedAt: 0.5 }, 'startedAt', 'must be a whole number'],
  [{ responseTime: 1e308 }, 'responseTime', 'must be at most'],
])('a report of %o is refused, and the lists still answer', async (report, field, why) => {
  const agent = agentOf();
  // Results of one millisecond are listed in no order.
  await clock.advance(10);
  await startSession(at, check);
  const [run] = await agent.claim();
  if (run === undefined) throw new Error('nothing was claimed');
  await expect(agent.report(run, { report })).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`answered 400: .*report\\.${field} ${why}`)),
  });
  expect(await agent.report(run)).toMatchObject({ outcome: 'RECORDED' });
  const params = { checkId: check };
  const { entries } = await call(at, contract.listCheckResults, { params });
  expect(entries).toHaveLength(1);
  expect(await call(at, contract.listCheckResultsDeprecated, { params })).toHaveLength(1);
});

/** Reports one run of the check, and returns its result as the list has it. */
async function reported(report: object) {
  const agent = agentOf();
  // Results of one millisecond are listed in no order.
  await clock.advance(10);
  await startSession(at, check);
  const [run] = await agent.claim();
  if (run === undefined) throw new Error('nothing was claimed');
  expect(await agent.report(run, { report })).toMatchObject({ outcome: 'RECORDED' });
  const list = await call(at, contract.listCheckResults, { params: { checkId: check }, query: { limit: 1 } });
  return list.entries[0];
}

it('the verdict of a report that is too large is recorded without its details', async () => {
  const large = { text: 'x'.repeat(1024 * 1024) };
  const result = await reported({ hasFailures: true, errors: ['it failed'], details: large });
  expect(result).toMatchObject({
    ...{ hasFailures: true, dnsCheckResult: {} },
    errors: [
      'it failed',
      expect.stringMatching(/details .* are not stored\. Their size is 1\.0 MB.*limit .* 1 MB/),
    ],
  });
});

it('of the errors that an agent reports, 100 are recorded, each of 16,000 characters', async () => {
  const many = await reported({ errors: Array.from({ length: 1000 }, (_, at) => `error ${at}`) });
  expect(many?.errors).toHaveLength(100);
  const [long] = (await reported({ errors: ['x'.repeat(20_000)] }))?.errors ?? [];
  expect(long).toHaveLength(16_000);
});

it('a list of large results is paged by its bytes, and the deprecated one leaves out what is too much', async () => {
  const count = 12;
  const text = 'x'.repeat(1000 * 1000);
  for (let number = 0; number < count; number += 1) {
    await reported({ details: { text, number }, errors: ['slow'] });
  }
  const params = { checkId: check };
  const bytesOf = (body: unknown) => JSON.stringify(body).length;
  const seen: unknown[] = [];
  let nextId: string | null = null;
  do {
    const query: object = { limit: 100, ...(nextId === null ? {} : { nextId }) };
    const page: contract.ResponseOf<typeof contract.listCheckResults> = await call(
      at,
      contract.listCheckResults,
      { params, query },
    );
    expect(bytesOf(page)).toBeLessThan(9 * 1024 * 1024);
    seen.push(...page.entries.map(({ id, dnsCheckResult }) => [id, dnsCheckResult?.number]));
    nextId = page.nextId;
  } while (nextId !== null);
  expect(seen).toHaveLength(count);
  const bare = await call(at, contract.listCheckResultsDeprecated, { params, query: { limit: 100 } });
  expect(bytesOf(bare)).toBeLessThan(9 * 1024 * 1024);
  expect(bare.map(({ id }) => id)).toEqual(seen.map((one) => (one as unknown[])[0]));
  expect(bare.map(({ dnsCheckResult }) => dnsCheckResult?.text === text)).toEqual(
    Array.from({ length: count }, (_, place) => place < 8),
  );
  expect(bare.at(-1)?.errors).toEqual([expect.stringContaining('smaller limit')]);
});

/** What agents are promised, whatever store the service has. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import type { StoreLocation } from '../../../src/service/store/index.ts';
import { ask, call } from '../../support/call.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { createAgent, createCheckAt, createPlace, type Place, readSession, startSession } from './support.ts';

/** `location`: where the store is; left out: a file of its own. */
export function promisesToAgents(location?: () => Promise<StoreLocation>): void {
  let service: TestService;
  let place: Place;
  let check: string;
  let number = 0;
  const nextPlace = () => {
    number += 1;
    return createPlace(service, `cellar-${number}`);
  };
  /** Resolves once the service has heard from an agent of the location. */
  const isHeard = ({ id }: Place) =>
    eventually(async () => {
      const { agentCount } = await call(service, contract.getPrivateLocation, { params: { id } });
      expect(agentCount).toBe(1);
    });

  beforeAll(async () => {
    service = await startTestService(location ? { store: await location() } : {});
    place = await nextPlace();
    check = await createCheckAt(service, [place.slug]);
  });
  afterAll(() => service.close());

  it('runs are given to one agent of their location, as it waits, and their result ends the session', async () => {
    const agent = createAgent(place);
    const elsewhere = createAgent(await nextPlace());
    expect(await agent.announce()).toMatchObject({ location: { id: place.id, slugName: place.slug } });
    const waiting = agent.claim({ waitSeconds: 20 });
    const strangers = elsewhere.claim({ waitSeconds: 20 });
    const session = await startSession(service, check);
    const [run] = await waiting;
    expect(run).toMatchObject({
      ...{ checkType: 'DNS', location: place.slug, timeoutMs: 30_000, isCancelled: false, secrets: [] },
      check: { request: { query: 'example.com' } },
    });
    await elsewhere.release();
    expect(await strangers).toEqual([]);
    expect(await createAgent(place).claim()).toEqual([]);
    const details = { dns: { resolver: '127.0.0.1:53' } };
    expect(run && (await agent.report(run, { report: { details } }))).toEqual({
      outcome: 'RECORDED',
      missing: [],
    });
    expect(await readSession(service, session)).toMatchObject({ status: 'PASSED' });
    const results = await call(service, contract.listCheckResults, { params: { checkId: check } });
    expect(results.entries).toMatchObject([{ runLocation: place.slug, responseTime: 12.5 }]);
  });

  it('a claim whose answer was lost is answered again with the same runs, and nobody else gets them', async () => {
    const agent = createAgent(place);
    await startSession(service, check);
    await startSession(service, check);
    const claimId = randomUUID();
    const [first] = await agent.claim({ claimId, capacity: 1 });
    const again = await agent.claim({ claimId, capacity: 1 });
    expect(again).toEqual([first]);
    const [second] = await agent.claim({ capacity: 5 });
    expect(second?.id).not.toBe(first?.id);
    await agent.release();
    const both = await agent.claim();
    expect(both.map(({ id }) => id).sort()).toEqual([first?.id, second?.id].sort());
    for (const run of both) await agent.report(run);
  });

  it('a result that is reported again is known, and one of a run that others have is refused', async () => {
    const [dead, next] = [createAgent(place), createAgent(place)];
    const session = await startSession(service, check);
    const [lost] = await dead.claim();
    if (!lost) throw new Error('nothing was claimed');
    await dead.release();
    const [run] = await next.claim();
    if (!run) throw new Error('nothing was claimed');
    expect(run.id).toBe(lost.id);
    const bad = { hasFailures: true, errors: ['no'] };
    expect(await dead.report(lost, { report: bad })).toMatchObject({ outcome: 'NOT_HELD' });
    const resultId = randomUUID();
    // Both at once, as two of them may come out of one spool.
    const twice = [next.report(run, { resultId }), next.report(run, { resultId })];
    expect(await Promise.all(twice)).toMatchObject([{ outcome: 'RECORDED' }, { outcome: 'RECORDED' }]);
    expect(await next.report(run, { resultId })).toMatchObject({ outcome: 'RECORDED' });
    expect(await next.report(run)).toMatchObject({ outcome: 'NOT_HELD' });
    expect(await readSession(service, session)).toMatchObject({ status: 'PASSED', results: [{}] });
  });

  it('an agent gives back all that it holds, also what was claimed by a clock that goes before', async () => {
    const own = await nextPlace();
    const [one, other] = [createAgent(own), createAgent(own)];
    await startSession(service, await createCheckAt(service, [own.slug]));
    const [run] = await one.claim();
    const { db } = service.store;
    await db
      .updateTable('runs')
      .set({ claimed_at: Date.now() + 30_000 })
      .where('id', '=', run?.id ?? 0)
      .execute();
    await one.release();
    expect(await other.claim()).toMatchObject([{ id: run?.id }]);
  });

  it('an agent that waits while its key is revoked gets nothing, and hears of it', async () => {
    const own = await nextPlace();
    const made = await createCheckAt(service, [own.slug]);
    const waiting = createAgent(own).claim({ waitSeconds: 20 });
    waiting.catch(() => {});
    await isHeard(own);
    const { keys } = await call(service, contract.getPrivateLocation, { params: { id: own.id } });
    const params = { id: own.id, keyId: keys?.[0]?.id ?? '' };
    await call(service, contract.deletePrivateLocationKey, { params });
    const session = await startSession(service, made);
    await expect(waiting).rejects.toThrow('401');
    const runs = await service.store.db
      .selectFrom('runs')
      .select(['state', 'claimed_by'])
      .where('session_id', '=', session)
      .execute();
    expect(runs).toEqual([{ state: 'QUEUED', claimed_by: null }]);
  });

  it('an agent is told with each claim how its location is reached now', async () => {
    const own = await nextPlace();
    const made = await createCheckAt(service, [own.slug]);
    const agent = createAgent(own);
    const asked = {
      ...{ agentId: agent.agentId, capacity: 1, checkTypes: ['DNS'], runtimes: [] },
    };
    const claim = (waitSeconds: number, claimId = randomUUID()) =>
      call(own.asAgent, contract.claimRuns, { body: { ...asked, claimId, waitSeconds } });
    const set = (proxyUrl: string | null) =>
      call(service, contract.updatePrivateLocation, { params: { id: own.id }, body: { proxyUrl } });
    expect((await claim(0)).location).toEqual({ proxyUrl: null });
    const claimId = randomUUID();
    const waiting = claim(20, claimId);
    await set('http://proxy.test:1');
    await startSession(service, made);
    expect(await waiting).toMatchObject({ runs: [{}], location: { proxyUrl: 'http://proxy.test:1' } });
    await set(null);
    expect(await claim(0, claimId)).toMatchObject({ runs: [{}], location: { proxyUrl: null } });
    await agent.release([], true);
  });

  it('an agent hears at once of a run that is cancelled, and of one that it holds no longer', async () => {
    const agent = createAgent(place);
    const session = await startSession(service, check);
    const [run] = await agent.claim();
    if (!run) throw new Error('nothing was claimed');
    expect(await agent.renew([run.id])).toEqual({ held: [run.id], cancelled: [] });
    const hearing = agent.renew([run.id], 20);
    await call(service, contract.cancelCheckSession, { params: { id: session } });
    expect(await hearing).toEqual({ held: [run.id], cancelled: [run.id] });
    await agent.report(run, { report: { isCancelled: true, responseTime: null } });
    expect(await readSession(service, session)).toMatchObject({ status: 'CANCELLED' });
    expect(await agent.renew([run.id], 20)).toEqual({ held: [], cancelled: [] });
  });

  it('a claim whose answer was lost names what was cancelled meanwhile', async () => {
    const agent = createAgent(place);
    const session = await startSession(service, check);
    const [run] = await agent.claim();
    expect(run).toMatchObject({ isCancelled: false });
    await call(service, contract.cancelCheckSession, { params: { id: session } });
    const [again] = await agent.claim(run && { claimId: run.claimId });
    expect(again).toEqual({ ...run, isCancelled: true });
    if (again) await agent.report(again, { report: { isCancelled: true, responseTime: null } });
    expect(await readSession(service, session)).toMatchObject({ status: 'CANCELLED' });
  });

  it('gives an agent only what it can run, and another runtime where nobody seems to have it', async () => {
    const own = await nextPlace();
    const agent = createAgent(own);
    await createCheckAt(service, [own.slug]);
    const { id = '' } = await call(service, contract.createBrowserCheck, {
      body: {
        ...{ name: 'b', script: 'x', frequency: 1440, privateLocations: [own.slug], locations: null },
        ...{ runtimeId: '2025.04', retryStrategy: null },
      },
    });
    const session = await startSession(service, id);
    const able = { checkTypes: ['DNS', 'BROWSER'] };
    expect(await agent.claim({ checkTypes: ['DNS'], runtimes: ['2025.04'] })).toEqual([]);
    expect(await agent.claim({ ...able, runtimes: ['2026.04'] })).toEqual([]);
    expect(await agent.claim({ checkTypes: [] })).toEqual([]);
    const [run] = await agent.claim({ ...able, runtimes: ['2026.04', '2025.04'] });
    expect(run).toMatchObject({ checkType: 'BROWSER', check: { runtimeId: '2025.04' } });
    await agent.release();
    await service.store.db
      .updateTable('runs')
      .set({ not_before: 1 })
      .where('session_id', '=', session)
      .execute();
    expect(await agent.claim({ ...able, runtimes: ['2026.04'] })).toHaveLength(1);
  });

  it('what an agent has and names no longer is given to another, once its answer must have come', async () => {
    const agent = createAgent(place);
    await startSession(service, check);
    const [run] = await agent.claim();
    await agent.renew([]);
    expect(await createAgent(place).claim()).toEqual([]);
    await service.store.db
      .updateTable('runs')
      .set({ claimed_at: Date.now() - 61_000 })
      .where('id', '=', run?.id ?? 0)
      .execute();
    const other = createAgent(place);
    const waiting = other.claim({ waitSeconds: 20 });
    await agent.renew([]);
    const [again] = await waiting;
    expect(again?.id).toBe(run?.id);
    if (again) await other.report(again);
  });

  it('nobody who has gone away while waiting gets a run', async () => {
    const own = await nextPlace();
    const gone = new AbortController();
    const body = { agentId: randomUUID(), claimId: randomUUID(), capacity: 1, waitSeconds: 20 };
    const waiting = fetch(`${service.url}/v1/agents/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.asAgent.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, checkTypes: ['DNS'], runtimes: [] }),
      signal: gone.signal,
    });
    await isHeard(own);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    await startSession(service, await createCheckAt(service, [own.slug]));
    expect(await createAgent(own).claim({ waitSeconds: 20 })).toHaveLength(1);
  });

  it('a retry goes to an agent of its location when its time has come', async () => {
    const retried = await createCheckAt(service, [place.slug], {
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1 },
    });
    const agent = createAgent(place);
    const session = await startSession(service, retried);
    const [first] = await agent.claim();
    if (first) await agent.report(first, { report: { hasFailures: true, errors: ['no'] } });
    const [second] = await agent.claim({ waitSeconds: 20 });
    if (second) await agent.report(second);
    const results = await call(service, contract.listCheckResults, {
      ...{ params: { checkId: retried }, query: { resultType: 'ALL' } },
    });
    expect(results.entries).toMatchObject([{ resultType: 'FINAL' }, { resultType: 'ATTEMPT' }]);
    expect(await readSession(service, session)).toMatchObject({ status: 'PASSED' });
  });

  it('takes whatever a target answered, and corrects the times of a clock that is wrong', async () => {
    const agent = createAgent(place);
    await startSession(service, check);
    const [run] = await agent.claim();
    if (!run) throw new Error('nothing was claimed');
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100; level += 1) deep = [deep];
    const details = { text: 'a\0b\ud800', deep, many: Array.from({ length: 20_000 }, () => 1) };
    const wrong = Date.now() + 3_600_000;
    const times = { startedAt: wrong - 1000, stoppedAt: wrong - 500 };
    const resultId = randomUUID();
    const report = { hasFailures: true, errors: ['it said \0'], details, ...times };
    const before = Date.now();
    expect(await agent.report(run, { resultId, sentAt: wrong, report })).toMatchObject({
      outcome: 'RECORDED',
    });
    const after = Date.now();
    const [result] = (await call(service, contract.listCheckResults, { params: { checkId: check } })).entries;
    expect(result?.id).toBe(resultId);
    const began = Date.parse(result?.startedAt ?? '');
    expect(began).toBeGreaterThanOrEqual(before - 1000);
    expect(began).toBeLessThanOrEqual(after - 1000);
    expect(Date.parse(result?.stoppedAt ?? '') - began).toBe(500);
  });

  it('tells when agents of a location were last heard of, and how many run', async () => {
    const own = await nextPlace();
    const [one, other] = [createAgent(own), createAgent(own)];
    const presence = async () => {
      const { agentCount, lastSeen } = await call(service, contract.getPrivateLocation, {
        params: { id: own.id },
      });
      return { agentCount, isSeen: lastSeen !== null };
    };
    expect(await presence()).toEqual({ agentCount: 0, isSeen: false });
    await one.announce();
    await other.claim();
    expect(await presence()).toEqual({ agentCount: 2, isSeen: true });
    await one.release([], true);
    expect(await presence()).toEqual({ agentCount: 1, isSeen: true });
    await other.release([], true);
    expect(await presence()).toEqual({ agentCount: 0, isSeen: true });
  });

  it('reads the code bundles of the runs that its location holds, and no others', async () => {
    const upload = (text: string) =>
      call(service, contract.uploadCodeBundle, {
        body: { archive: Buffer.from(`PK\x03\x04 ${text}`, 'latin1').toString('base64') },
      });
    const [at, elsewhere] = [await nextPlace(), await nextPlace()];
    const [bundle, other] = [await upload('one'), await upload('other')];
    const body = { name: 'suite', codeBundleId: bundle.id, locations: null, privateLocations: [at.slug] };
    const { id: suite = '' } = await call(service, contract.createPlaywrightCheck, {
      body: { ...body, frequency: 1440 },
    });
    const statusOf = async ({ asAgent }: Place, id: string) =>
      (await ask(asAgent, contract.getRunCodeBundle, { params: { id } })).status;
    expect(await statusOf(at, bundle.id)).toBe(404);
    await startSession(service, suite);
    expect(await statusOf(at, bundle.id)).toBe(404);
    const agent = createAgent(at);
    await agent.claim({ checkTypes: ['PLAYWRIGHT'] });
    expect([await statusOf(at, bundle.id), await statusOf(at, other.id)]).toEqual([200, 404]);
    expect(await statusOf(elsewhere, bundle.id)).toBe(404);
    await call(at.asAgent, contract.releaseRuns, { body: { agentId: agent.agentId, keep: [] } });
    expect(await statusOf(at, bundle.id)).toBe(404);
  });

  it('opens to the key of a location what agents need, and nothing else; to no other key', async () => {
    const agentId = randomUUID();
    const body = { agentId, version: '1' };
    const statusOf = async (apiKey: string, endpoint: contract.Endpoint, given: unknown) =>
      (await ask({ url: service.url, apiKey }, endpoint, { body: given })).status;
    expect(await statusOf(place.asAgent.apiKey, contract.announceAgent, body)).toBe(200);
    expect(await statusOf(service.apiKey, contract.announceAgent, body)).toBe(401);
    expect(await statusOf(`${place.asAgent.apiKey}x`, contract.announceAgent, body)).toBe(401);
    expect(await statusOf(place.asAgent.apiKey, contract.listChecks, undefined)).toBe(401);
    const { keys } = await call(service, contract.getPrivateLocation, { params: { id: place.id } });
    await call(service, contract.deletePrivateLocationKey, {
      params: { id: place.id, keyId: keys?.[0]?.id ?? '' },
    });
    expect(await statusOf(place.asAgent.apiKey, contract.announceAgent, body)).toBe(401);
  });
}

/** An agent over a real service: what it runs, how it hears of ends, what a spool, a lost line and its own end do to results. */
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEnvironment } from '../../src/agent/main.ts';
import { systemClock } from '../../src/base/clock.ts';
import * as contract from '../../src/contract/index.ts';
import type { Runner } from '../../src/runners/core/runner.ts';
import { readSession } from '../service/agents/support.ts';
import { call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { startFaultProxy } from '../support/fault-proxy/proxy.ts';
import { leave } from '../support/left-files.ts';
import { held, saved, stage } from './scene.ts';
import { PASSED } from './support.ts';

const { service, scene, until, statusOf } = stage();

it('leaves by the proxy of its location as it is now, before that of its machine, but for what NO_PROXY names', async () => {
  const { place, start, agent } = await scene();
  const set = (proxyUrl: string | null) =>
    call(service(), contract.updatePrivateLocation, { params: { id: place.id }, body: { proxyUrl } });
  const proxyUrl = 'http://kim:pw@proxy.test:3128';
  await set(proxyUrl);
  const targets = ['https://a.test/', 'http://b.test/', 'http://own.test/'].map((url) => new URL(url));
  let seen: readonly (string | undefined)[] = [];
  const env = { https_proxy: 'http://machine.test:1', NO_PROXY: 'own.test' };
  await agent({
    createEnvironment: (proxyUrl) =>
      createEnvironment({ env, clock: systemClock, lookup: undefined }, proxyUrl),
    run: async (_, { proxyFor, capture }) => {
      seen = [...targets.map((url) => proxyFor?.(url)), typeof capture];
      return PASSED;
    },
  });
  await until(await start(), 'PASSED');
  expect(seen).toEqual([proxyUrl, proxyUrl, undefined, 'function']);
  await set('http://another.test:1');
  await until(await start(), 'PASSED');
  expect(seen).toEqual(['http://another.test:1', 'http://another.test:1', undefined, 'function']);
  await set(null);
  await until(await start(), 'PASSED');
  expect(seen).toEqual(['http://machine.test:1', undefined, undefined, 'function']);
});

it('runs what is due at its location, so many at once, and hands in what it found', async () => {
  const { start, agent, spool, check } = await scene();
  const { run, letGo, untilRunning, most } = held();
  await agent({ run, concurrency: 2 });
  const sessions = [await start(), await start(), await start(), await start()];
  await untilRunning(2);
  letGo();
  await eventually(async () => {
    letGo();
    for (const session of sessions) expect(await statusOf(session)).toBe('PASSED');
  });
  expect(most()).toBe(2);
  await eventually(async () => expect(await readdir(spool)).toEqual([]));
  const { entries } = await call(service(), contract.listCheckResults, { params: { checkId: check } });
  expect(entries).toHaveLength(4);
});

it('takes no second suite beside one that runs: short checks find a place', async () => {
  const { start, agent } = await scene();
  const { run: suite, untilRunning, letGo, most } = held();
  const suites = [await start(), await start(), await start()];
  await service()
    .store.db.updateTable('check_sessions')
    .set({ check_type: 'PLAYWRIGHT' })
    .where('id', 'in', suites)
    .execute();
  await agent({ suite, concurrency: 2 });
  await untilRunning(1);
  await until(await start(), 'PASSED');
  expect(most()).toBe(1);
  await eventually(async () => {
    letGo();
    for (const session of suites) expect(await statusOf(session)).toBe('PASSED');
  });
});

it('stops a run that is cancelled, at once', async () => {
  const { start, agent } = await scene();
  const { run, untilRunning, running } = held();
  await agent({ run });
  const session = await start();
  await untilRunning(1);
  await call(service(), contract.cancelCheckSession, { params: { id: session } });
  await until(session, 'CANCELLED');
  expect(running()).toBe(0);
});

it('keeps what it found on disk, for its user alone, until the service has it, across its own end', async () => {
  const { start, agent, place, spool } = await scene();
  const { run, untilRunning, letGo } = held();
  const proxy = await startFaultProxy({
    service: service().url,
    schedule: { steps: [], afterwards: { name: 'pass' } },
  });
  const first = await agent({ run, url: proxy.url, graceMs: 300 });
  const session = await start();
  await untilRunning(1);
  await proxy.close();
  letGo();
  await saved(spool);
  const [name = ''] = await readdir(spool);
  expect((await stat(join(spool, name))).mode & 0o777).toBe(0o600);
  expect((await stat(spool)).mode & 0o777).toBe(0o700);
  expect(await first.stop()).toBe(1);
  expect(await statusOf(session)).toBe('STARTED');
  await agent({}, place);
  await until(session, 'PASSED');
  await eventually(async () => expect(await readdir(spool)).toEqual([]));
});

it('throws away what it found of a run that others have made meanwhile', async () => {
  const { start, agent, spool } = await scene();
  const { run, untilRunning, letGo } = held();
  const proxy = await startFaultProxy({
    service: service().url,
    schedule: { steps: [], afterwards: { name: 'pass' } },
  });
  const first = await agent({ run, url: proxy.url, graceMs: 200 });
  const session = await start();
  await untilRunning(1);
  await proxy.close();
  letGo();
  await saved(spool);
  await first.stop();
  // Its lease ends, as nobody renews it.
  await service()
    .store.db.updateTable('runs')
    .set({ state: 'QUEUED', claimed_by: null, claimed_at: null, lease_until: null })
    .where('session_id', '=', session)
    .execute();
  const next = await agent();
  await until(session, 'PASSED');
  expect((await readSession(service(), session)).results).toHaveLength(1);
  await eventually(async () => expect(await readdir(spool)).toEqual([]));
  expect(next.logged.map(({ msg }) => msg).join()).toContain('discarded a result');
});

it('tells of a spool that takes nothing, loses no result by it, and claims nothing meanwhile', async () => {
  const { start, agent, spool } = await scene();
  const { run, untilRunning, letGo, running } = held();
  const one = await agent({ run });
  const session = await start();
  await untilRunning(1);
  await rm(spool, { recursive: true });
  await writeFile(spool, 'no folder');
  letGo();
  await until(session, 'PASSED');
  expect(
    one.logged
      .filter(({ level }) => level === 50)
      .map(({ msg }) => msg)
      .join(),
  ).toContain('holding results in memory');
  await rm(spool);
  expect(running()).toBe(0);
});

it('sends pictures and traces in parts, says of one that is too large that it is lost, and leaves nothing', async () => {
  const { start, agent, check, spool } = await scene();
  const trace = Buffer.alloc(2_500_000, 'trace');
  const left = { kind: 'trace', name: 'trace.zip', contentType: 'application/zip', contents: trace } as const;
  const limit = 150 * 1024 * 1024;
  // The runner keeps none that is so large; one of another version may.
  const huge = { kind: 'screenshot', name: 'huge.png', contentType: 'image/png', path: '/dev/null' } as const;
  const run: Runner<unknown> = async (_, context) => ({
    ...PASSED,
    details: { artifactsLost: 'one could not be read' },
    artifacts: [...(await leave(context, [left])), { ...huge, bytes: limit + 1 }],
  });
  await agent({ run });
  await until(await start(), 'PASSED');
  await eventually(async () => expect(await readdir(spool)).toEqual(['runs']));
  // The run's own place goes once its result has been handed in.
  await eventually(async () => expect(await readdir(join(spool, 'runs'))).toEqual([]));
  const { entries } = await call(service(), contract.listCheckResults, { params: { checkId: check } });
  const row = await service().store.db.selectFrom('artifacts').selectAll().execute();
  const [kept] = row.filter(({ result_id }) => result_id === entries[0]?.id);
  expect(kept).toMatchObject({ name: 'trace.zip', bytes: trace.length });
  const file = await fetch(`${service().url}/v1/artifacts/${kept?.id}`, {
    headers: { authorization: `Bearer ${service().apiKey}` },
  });
  expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), trace)).toBe(0);
  const result = await service()
    .store.db.selectFrom('results')
    .select('details')
    .where('id', '=', entries[0]?.id ?? '')
    .executeTakeFirst();
  expect(JSON.parse(result?.details ?? '').artifactsLost).toMatch(
    /^one could not be read; huge\.png is 150\.0 MB \(157,286,401 bytes\): the limit is 150\.0 MB \(157,286,400 bytes\)\. Make it smaller/,
  );
});

it('answers probes: ready until its end begins, alive; other paths and methods are refused', async () => {
  const { start, agent } = await scene();
  const { run, untilRunning, letGo } = held();
  const one = await agent({ run });
  const port = await one.listen();
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return [answer.status, await answer.text(), answer.headers.get('allow')];
  };
  for (const path of ['/-/readiness', '/-/liveness', '/health', '/health?x=1'])
    expect(await ask(path)).toEqual([200, 'OK', null]);
  expect(await ask('/-/readiness', 'HEAD')).toEqual([200, '', null]);
  expect(await ask('/-/readiness', 'POST')).toEqual([405, 'Method Not Allowed', 'GET, HEAD']);
  for (const path of ['/', '/-/ready', '/health/']) expect((await ask(path))[0]).toBe(404);
  const session = await start();
  await untilRunning(1);
  const stopping = one.stop();
  await eventually(async () => expect(await ask('/-/readiness')).toEqual([503, 'Service Unavailable', null]));
  expect(await ask('/-/liveness')).toEqual([200, 'OK', null]);
  letGo();
  expect(await stopping).toBe(0);
  expect(await statusOf(session)).toBe('PASSED');
  await expect(ask('/health')).rejects.toThrow();
});

it('gives back what is not over within its grace, and another makes it at once', async () => {
  const { start, agent } = await scene();
  const { run, untilRunning } = held();
  const one = await agent({ run, graceMs: 100 });
  const session = await start();
  await untilRunning(1);
  await agent();
  expect(await one.stop()).toBe(0);
  await until(session, 'PASSED');
});

it('ends at once where it is hurried, and another makes what it held', async () => {
  const { start, agent } = await scene();
  const { run, untilRunning } = held();
  const one = await agent({ run, graceMs: 100 });
  const session = await start();
  await untilRunning(1);
  await agent();
  await one.stopNow();
  await until(session, 'PASSED');
});

/** The beginning of an agent: it may be told to end before it has begun. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Result } from '../../src/agent/spool.ts';
import { patientClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { startFaultProxy } from '../support/fault-proxy/proxy.ts';
import { held, saved, stage } from './scene.ts';
import { agentAt } from './support.ts';

const { service, scene, until } = stage();

it('is not ready from the moment that it is told to end, also while it hands in what was left, and waits for nothing', async () => {
  const { start, agent, place, spoolFolder, spool } = await scene();
  const schedule = { steps: [], afterwards: { name: 'pass' as const } };
  const line = await startFaultProxy({ service: service().url, schedule });
  const { run, untilRunning, letGo } = held();
  const before = await agent({ run, url: line.url, graceMs: 200 });
  await start();
  await untilRunning(1);
  await line.close();
  letGo();
  await saved(spool);
  await before.stop();
  const stop = new AbortController();
  // What answers the announcement answers nothing else.
  const silent = await startFaultProxy({
    service: service().url,
    schedule: { steps: [{ name: 'pass' }], afterwards: { name: 'silence', ms: 60_000 } },
  });
  const next = agentAt(place, { spoolFolder, url: silent.url, clock: patientClock });
  const port = await next.listen();
  const readiness = async () => (await fetch(`http://127.0.0.1:${port}/-/readiness`)).status;
  const starting = next.start(stop.signal);
  starting.catch(() => {});
  await eventually(() =>
    expect(next.logged.map(({ msg }) => msg).join()).toContain('results of an earlier run'),
  );
  expect(await readiness()).toBe(200);
  stop.abort(new Error('told to end'));
  await expect(starting).rejects.toThrow('told to end');
  expect(await readiness()).toBe(503);
  expect(await next.stop()).toBe(1);
  expect(await readdir(spool)).toHaveLength(1);
  await silent.close();
});

it('hands in what was left without a file that the disk has lost, and says so', async () => {
  const { start, agent, place, spool, recorded } = await scene();
  const schedule = { steps: [], afterwards: { name: 'pass' as const } };
  const line = await startFaultProxy({ service: service().url, schedule });
  const { run, untilRunning, letGo } = held();
  const before = await agent({ run, url: line.url, graceMs: 200 });
  const session = await start();
  await untilRunning(1);
  await line.close();
  letGo();
  await saved(spool);
  await before.stop();
  // As if its run had left a trace, which is not there any more.
  const [name = ''] = await readdir(spool);
  const result = JSON.parse(await readFile(join(spool, name), 'utf8')) as Result;
  const trace = { kind: 'trace' as const, name: 't.zip', contentType: 'application/zip', bytes: 3 };
  const artifacts = [{ ...trace, id: randomUUID() }];
  await writeFile(join(spool, name), JSON.stringify({ ...result, artifacts }));
  const next = await agent({}, place);
  await until(session, 'PASSED');
  expect((await recorded())?.details).toContain('the file is no longer readable (ENOENT)');
  await eventually(async () => expect(await readdir(spool)).toEqual([]));
  expect(next.logged.map(({ msg }) => msg).join()).toContain('sending the result without files');
});

/** Heartbeats of jobs that report their starts, ends and failures, over HTTP and on a clock of the test's own. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestService } from '../../../support/service.ts';
import { createHeartbeat, MINUTE, resultsOf, verdictsOf, type Watch, watch } from './support.ts';

let scene: Watch;
let at: TestService;
let id: string;
let url: string;
beforeEach(async () => {
  scene = watch({ path: join(await temporaryFolder(), 'sonde.db') });
  at = await scene.start();
  ({ id, url } = await createHeartbeat(at));
});
afterEach(() => scene.stopAll());

async function report(path: string, body?: string): Promise<number> {
  const request = body === undefined ? {} : { method: 'POST', body };
  const { status } = await fetch(`${at.url}${url}${path}`, request);
  // Results of one millisecond have no order.
  await scene.pass(1000);
  return status;
}
const last = async () => (await resultsOf(at, id)).at(-1);
const details = async () =>
  (await last())?.heartbeatCheckResult as Readonly<Record<string, unknown>> | undefined;

describe('a job', () => {
  it('fails at once with what it says, each time, and recovers with the next ping', async () => {
    expect(await report('/fail', 'one\ndisk full: 0 bytes left\n')).toBe(200);
    expect(await last()).toMatchObject({
      hasFailures: true,
      errors: ['the job reported a failure: disk full: 0 bytes left'],
      heartbeatCheckResult: { event: 'FAILED', output: 'one\ndisk full: 0 bytes left\n', isOutputCut: false },
    });
    await report('/3');
    expect((await last())?.errors).toEqual(['the job exited with code 3']);
    await report('?status=down&msg=no%20space');
    expect((await last())?.errors).toEqual(['the job reported a failure: no space']);
    expect(await call(at, contract.getCheck, { params: { id } })).toMatchObject({ status: 'failing' });
    await report('/0', 'done');
    expect(await details()).toMatchObject({ event: 'PING', exitCode: 0, output: 'done' });
    expect(await verdictsOf(at, id)).toEqual([false, false, false, true]);
  });

  it('that failed is still expected: it fails again without a ping', async () => {
    await report('/fail');
    await scene.pass(6 * MINUTE + 10_000);
    expect((await last())?.errors?.[0]).toContain('no ping received within 5 minutes');
    expect(await verdictsOf(at, id)).toEqual([false, false]);
  });

  it('is timed from its start to its end, and a start alone is no success', async () => {
    await report('/start');
    expect(await verdictsOf(at, id)).toEqual([]);
    await scene.pass(30_000);
    await report('');
    expect(await details()).toMatchObject({ event: 'PING', duration: 31_000 });
    expect((await last())?.responseTime).toBe(31_000);
    await report('?ping=250');
    expect(await details()).toMatchObject({ duration: 250, runStartedAt: null });
  });

  it('that started and never ended fails after the grace period, and recovers with a late end', async () => {
    const startedAt = new Date(scene.clock.now()).toISOString();
    await report('/start');
    await scene.pass(MINUTE + 5000);
    expect((await last())?.errors).toEqual([
      `the run that started at ${startedAt} did not end within the grace period of 1 minute`,
    ]);
    await scene.pass(2 * MINUTE);
    expect(await verdictsOf(at, id)).toEqual([false]);
    await report('');
    expect(await details()).toMatchObject({ event: 'PING', duration: 186_000 });
    expect(await verdictsOf(at, id)).toEqual([false, true]);
    // Nothing is left of the run.
    await scene.pass(4 * MINUTE);
    expect(await verdictsOf(at, id)).toEqual([false, true]);
  });

  it('that starts again and again, and never ends, misses its ping', async () => {
    await report('');
    for (let start = 0; start < 13; start += 1) {
      await report('/start');
      await scene.pass(29_000);
    }
    const { errors } = (await resultsOf(at, id))[1] ?? {};
    expect(errors?.[0]).toMatch(/no ping received within 5 minutes .*; a run that started at/);
  });

  it('may have runs at the same time, each with its ID', async () => {
    await report('/start?rid=one');
    await scene.pass(30_000);
    await report('/start?rid=two');
    await report('/0?rid=two');
    expect(await details()).toMatchObject({ runId: 'two', duration: 1000 });
    await scene.pass(40_000);
    expect((await last())?.errors?.[0]).toMatch(/^the run one that started at/);
    expect(await verdictsOf(at, id)).toEqual([true, false]);
    await report('/0?rid=one');
    expect(await details()).toMatchObject({ runId: 'one', event: 'PING' });
  });

  it('may log, which changes no verdict and is in its next result', async () => {
    await report('/log', 'half done');
    await report('/start', 'go');
    expect(await verdictsOf(at, id)).toEqual([]);
    await report('/1', 'broken');
    expect(await details()).toMatchObject({ log: 'half done\ngo', output: 'broken' });
    await report('/fail');
    expect(await details()).not.toHaveProperty('log');
  });

  it('is not judged while it is deactivated, nor for what it started before', async () => {
    await report('/start');
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: false } });
    await report('/fail');
    await scene.pass(10 * MINUTE);
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: true } });
    await scene.pass(2 * MINUTE);
    expect(await verdictsOf(at, id)).toEqual([]);
  });

  it('has more time for a run after the service was down', async () => {
    await report('/start');
    await scene.stop(at);
    await scene.clock.advance(30 * MINUTE);
    at = await scene.start();
    await scene.pass(30_000);
    expect(await verdictsOf(at, id)).toEqual([]);
    await scene.pass(MINUTE);
    expect(await verdictsOf(at, id)).toEqual([false]);
  });
});

describe('the URLs of a heartbeat', () => {
  it('include those of Uptime Kuma, and no others', async () => {
    const token = url.split('/').at(-1) ?? '';
    const push = await fetch(`${at.url}/api/push/${token}?status=down&msg=late&ping=`);
    expect([push.status, await push.json()]).toEqual([200, { ok: true }]);
    expect((await last())?.errors).toEqual(['the job reported a failure: late']);
    for (const path of ['/fali', '/FAIL', '/start/1', '/1e1']) expect(await report(path)).toBe(404);
    expect(await report('?rid=no%20run')).toBe(400);
    expect((await fetch(`${at.url}/api/push/unknown`)).status).toBe(404);
  });

  it('take a long text without its rest, and no longer one than a megabyte after that', async () => {
    expect(await report('/0', 'x'.repeat(500_000))).toBe(200);
    const { output, isOutputCut } = (await details()) ?? {};
    expect([String(output).length, isOutputCut]).toEqual([10_240, true]);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x78)),
    });
    const request = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
    await fetch(`${at.url}${url}/1`, request).catch(() => {});
    expect((await last())?.errors?.[0]).toMatch(/^the job exited with code 1: x+…$/);
  });

  it('record at most 30 texts in a minute, and every change of the verdict', async () => {
    const post = (path: string) => fetch(`${at.url}${url}${path}`, { method: 'POST', body: 'text' });
    for (let ping = 0; ping < 35; ping += 1) await post('');
    expect(await verdictsOf(at, id)).toHaveLength(30);
    await post('/fail');
    await post('/fail');
    expect((await verdictsOf(at, id)).filter((isGood) => !isGood)).toHaveLength(1);
  });
});

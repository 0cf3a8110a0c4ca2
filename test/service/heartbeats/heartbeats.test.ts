/** Heartbeats of a real service, on a clock of the test's own: pings over HTTP, what is missed, and what follows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/random.ts';
import * as contract from '../../../src/contract/index.ts';
import { spanText } from '../../../src/service/heartbeats/report.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { call } from '../../support/call.ts';
import { createManualClock, type ManualClock } from '../../support/clock.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const MINUTE = 60_000;
const STEP_MS = 30_000;
let folder: string;
let clock: ManualClock;
let service: Service;
let at: TestService;
let key: { accountId: string; apiKey: string };

async function start(): Promise<void> {
  service = await createService({
    ...{ store: { path: join(folder, 'sonde.db') }, listen: { host: '127.0.0.1', port: 0 } },
    ...{ clock, random: systemRandom, engine: { graceMs: 0, locations: ['eu-west-1'] } },
  });
  const { url, port } = await service.start();
  key = service.first ?? key;
  at = { url, port, service, store: service.store, ...key } as TestService;
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-heartbeats-'));
  clock = createManualClock();
  await start();
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const heartbeat = { period: 5, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' } as const;
const made = async (more: object = {}) => {
  const check = await call(at, contract.createHeartbeatCheck, {
    body: { name: 'backup', heartbeat, ...more },
  });
  return { id: String(check.id), url: new URL(check.heartbeat?.pingUrl ?? '').pathname };
};
const ping = (path: string, method = 'GET') => fetch(`${at.url}${path}`, { method });
const resultsOf = async (id: string) =>
  (
    await call(at, contract.listCheckResults, { params: { checkId: id }, query: { limit: 100 } })
  ).entries.toReversed();
const verdictsOf = async (id: string) => (await resultsOf(id)).map(({ hasFailures }) => !hasFailures);
/** Time in steps: what is woken has its turns, and what it asks of the store its own. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await clock.advance(Math.min(left, STEP_MS));
    await settled();
  }
}
/** All that was begun is done: each look of the keeper goes through the store. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await service.store.heartbeats.nextDue();
  await clock.advance(0);
}

describe('a heartbeat', () => {
  it('is pinged without a key by any of three methods, and shows when it is due', async () => {
    const { id, url } = await made();
    for (const method of ['GET', 'HEAD', 'POST']) expect((await ping(url, method)).status).toBe(200);
    const posted = await fetch(`${at.url}${url}`, { method: 'POST', body: 'done: 12 files' });
    expect(await posted.text()).toBe('OK\n');
    const check = (await call(at, contract.getCheck, { params: { id } })) as contract.ResponseOf<
      typeof contract.createHeartbeatCheck
    >;
    expect(check.heartbeat).toMatchObject({
      lastPingAt: new Date(clock.now()).toISOString(),
      dueAt: new Date(clock.now() + 6 * MINUTE).toISOString(),
    });
    expect((await ping('/ping/nobody-has-this')).status).toBe(404);
    expect((await ping(url, 'DELETE')).status).toBe(404);
  });

  it('fails without a ping, a session of the schedule with its result, and recovers with the next', async () => {
    const { id, url } = await made();
    await pass(20 * MINUTE);
    expect(await verdictsOf(id)).toEqual([]);
    await ping(url);
    await pass(6 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true]);
    await pass(10_000);
    expect(await verdictsOf(id)).toEqual([true, false]);
    const { entries } = await call(at, contract.listCheckSessions, { query: { checkId: id } });
    expect(entries[0]).toMatchObject({
      ...{ status: 'FAILED', runSource: 'SCHEDULER', checkType: 'HEARTBEAT', runLocations: ['eu-west-1'] },
    });
    expect((await resultsOf(id))[1]).toMatchObject({
      resultType: 'FINAL',
      errors: [expect.stringContaining('no ping came within 5 minutes and 1 minute of grace')],
      heartbeatCheckResult: { event: 'MISSED' },
      errorGroupIds: [expect.any(String)],
    });
    expect(await call(at, contract.getCheck, { params: { id } })).toMatchObject({ status: 'failing' });
    // It fails once a period while it stays away.
    await pass(5 * MINUTE + 10_000);
    expect(await verdictsOf(id)).toEqual([true, false, false]);
    await ping(url);
    expect(await verdictsOf(id)).toEqual([true, false, false, true]);
    expect(await call(at, contract.getCheck, { params: { id } })).toMatchObject({ status: 'passing' });
  });

  it('alerts when it fails, opens an incident, and resolves both when it recovers', async () => {
    await call(at, contract.createAlertChannel, {
      body: { type: 'SLACK', config: { url: 'http://127.0.0.1:9/nowhere' } },
    });
    const { id: serviceId } = await call(at, contract.createService, { body: { name: 'Backups' } });
    const { url } = await made({ triggerIncident: { serviceId, name: 'no backup', severity: 'MAJOR' } });
    await ping(url);
    await pass(7 * MINUTE);
    const kinds = async () =>
      (await call(at, contract.listAlertNotifications, {})).entries.map(({ alertType }) => alertType);
    const incidents = async () =>
      (await call(at, contract.listIncidents, {})).entries.map(({ lastUpdateStatus }) => lastUpdateStatus);
    expect(await kinds()).toEqual(['ALERT_FAILURE']);
    expect(await incidents()).toEqual(['INVESTIGATING']);
    await ping(url);
    expect(await kinds()).toEqual(['ALERT_RECOVERY', 'ALERT_FAILURE']);
    expect(await incidents()).toEqual(['RESOLVED']);
  });

  it('is not missed while it rests, nor at once when it is let run again', async () => {
    const { id, url } = await made();
    await ping(url);
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: false } });
    await pass(30 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true]);
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: true } });
    await pass(10_000);
    expect(await verdictsOf(id)).toEqual([true]);
    await pass(7 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true, false]);
  });

  it('is not missed where its ping was expected within a maintenance window', async () => {
    const { id, url } = await made();
    await ping(url);
    const iso = (ms: number) => new Date(clock.now() + ms).toISOString();
    await call(at, contract.createMaintenanceWindow, {
      body: {
        ...{ name: 'w', startsAt: iso(4 * MINUTE), endsAt: iso(5.5 * MINUTE), repeatUnit: null },
        ...{ pauseAllChecks: true, timezone: 'UTC' },
      },
    });
    await pass(11 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true]);
    await pass(2 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true, false]);
  });

  it('is due by its new period where that is changed', async () => {
    const { id, url } = await made();
    await ping(url);
    const shorter = { period: 30, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' } as const;
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { heartbeat: shorter } });
    await pass(40_000);
    expect(await verdictsOf(id)).toEqual([true, false]);
  });

  it('pages nobody for the time that the service itself was away', async () => {
    const { id, url } = await made();
    await ping(url);
    await pass(2 * MINUTE);
    await service.stop();
    await clock.advance(60 * MINUTE);
    await start();
    await pass(5 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true]);
    await pass(2 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true, false]);
  });

  it('is not missed where the clock is set on', async () => {
    const { id, url } = await made();
    await ping(url);
    clock.step(60 * MINUTE);
    await pass(5 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true]);
    await pass(2 * MINUTE);
    expect(await verdictsOf(id)).toEqual([true, false]);
  });

  it('is never run: by hand, in a group and as a test it is left out', async () => {
    const { id } = await made();
    const group = await call(at, contract.createCheckGroup, { body: { name: 'g' } });
    await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { groupId: group.id ?? 0 } });
    await expect(
      call(at, contract.triggerCheckSessions, { body: { target: { checkId: [id] } } }),
    ).rejects.toThrow('never run (backup)');
    const body = { name: 't', runLocation: 'eu-west-1', target: { checkId: [id] } };
    await expect(call(at, contract.triggerTestSessions, { body })).rejects.toThrow('never run (backup)');
    expect(
      await at.service.engine.startGroup({ ...key, groupId: group.id ?? 0, runSource: 'GROUP_RUN_ALL' }),
    ).toEqual([]);
  });
});

describe('a span of time', () => {
  it.each([
    [30_000, '30 seconds'],
    [60_000, '1 minute'],
    [5_400_000, '90 minutes'],
    [86_400_000, '1 day'],
  ])('of %d ms is %s', (ms, words) => {
    expect(spanText(ms)).toBe(words);
  });
});

describe('the URL of a heartbeat', () => {
  it('answers so often as a key may ask, and guessing no oftener', async () => {
    const rate = { requests: 3, windowSeconds: 60 };
    const limited = await startTestService({
      limits: { rates: { standard: rate, 'deprecated-listing': rate, agent: rate } },
    });
    try {
      const check = await call(limited, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
      const statuses = async (path: string) => {
        const found: number[] = [];
        for (let n = 0; n < 5; n += 1) found.push((await fetch(`${limited.url}${path}`)).status);
        return found;
      };
      const { pathname } = new URL(check.heartbeat?.pingUrl ?? '');
      expect(await statuses('/ping/a-guess')).toEqual([404, 404, 404, 429, 429]);
      expect(await statuses(pathname)).toEqual([200, 200, 200, 429, 429]);
    } finally {
      await limited.close();
    }
  });
});

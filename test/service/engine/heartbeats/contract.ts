/** What holds of heartbeats whatever store the service has: pings over HTTP, what is missed, and what follows. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { StoreLocation } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import type { TestService } from '../../../support/service.ts';
import { createHeartbeat, MINUTE, ping, resultsOf, verdictsOf, type Watch, watch } from './support.ts';

/** `location`: where the store of each test is. */
export function promisesOfHeartbeats(location: () => Promise<StoreLocation>): void {
  let scene: Watch;
  let at: TestService;
  beforeEach(async () => {
    scene = watch(await location());
    at = await scene.start();
  });
  afterEach(() => scene.stopAll());
  /** Results are in the order of the clock, which a test may set back. */
  const failuresOf = async (id: string) => (await verdictsOf(at, id)).filter((isGood) => !isGood);

  describe('a heartbeat', () => {
    it('is pinged without a key by any of three methods, and shows when it is due', async () => {
      const { id, url } = await createHeartbeat(at);
      for (const method of ['GET', 'HEAD', 'POST']) expect((await ping(at, url, method)).status).toBe(200);
      const posted = await fetch(`${at.url}${url}`, { method: 'POST', body: 'done: 12 files' });
      expect(await posted.text()).toBe('OK\n');
      const check = (await call(at, contract.getCheck, { params: { id } })) as contract.ResponseOf<
        typeof contract.createHeartbeatCheck
      >;
      expect(check.heartbeat).toMatchObject({
        lastPingAt: new Date(scene.clock.now()).toISOString(),
        dueAt: new Date(scene.clock.now() + 6 * MINUTE).toISOString(),
      });
      expect((await ping(at, '/ping/nobody-has-this')).status).toBe(404);
      expect((await ping(at, url, 'DELETE')).status).toBe(404);
    });

    it('fails without a ping, a session of the schedule with its result, and recovers with the next', async () => {
      const { id, url } = await createHeartbeat(at);
      await scene.pass(20 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([]);
      await ping(at, url);
      await scene.pass(6 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await scene.pass(10_000);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
      const { entries } = await call(at, contract.listCheckSessions, { query: { checkId: id } });
      expect(entries[0]).toMatchObject({
        ...{ status: 'FAILED', runSource: 'SCHEDULER', checkType: 'HEARTBEAT', runLocations: ['eu-west-1'] },
      });
      expect((await resultsOf(at, id))[1]).toMatchObject({
        resultType: 'FINAL',
        errors: [expect.stringContaining('no ping received within 5 minutes and a grace period of 1 minute')],
        heartbeatCheckResult: { event: 'MISSED' },
        errorGroupIds: [expect.any(String)],
      });
      expect(await call(at, contract.getCheck, { params: { id } })).toMatchObject({ status: 'failing' });
      // It fails once a period while it stays away.
      await scene.pass(5 * MINUTE + 10_000);
      expect(await verdictsOf(at, id)).toEqual([true, false, false]);
      // What happens within the same millisecond has no order.
      await scene.pass(1000);
      await ping(at, url);
      expect(await verdictsOf(at, id)).toEqual([true, false, false, true]);
      expect(await call(at, contract.getCheck, { params: { id } })).toMatchObject({ status: 'passing' });
    });

    it('alerts when it fails, opens an incident, and resolves both when it recovers', async () => {
      await call(at, contract.createAlertChannel, {
        body: { type: 'SLACK', config: { url: 'http://127.0.0.1:9/nowhere' } },
      });
      const { id: serviceId } = await call(at, contract.createService, { body: { name: 'Backups' } });
      const { url } = await createHeartbeat(at, {
        triggerIncident: { serviceId, name: 'no backup', severity: 'MAJOR' },
      });
      await ping(at, url);
      await scene.pass(7 * MINUTE);
      const kinds = async () =>
        (await call(at, contract.listAlertNotifications, {})).map(({ alertType }) => alertType);
      const incidents = async () =>
        (await call(at, contract.listIncidents, {})).entries.map(({ lastUpdateStatus }) => lastUpdateStatus);
      expect(await kinds()).toEqual(['ALERT_FAILURE']);
      expect(await incidents()).toEqual(['INVESTIGATING']);
      await ping(at, url);
      expect(await kinds()).toEqual(['ALERT_RECOVERY', 'ALERT_FAILURE']);
      expect(await incidents()).toEqual(['RESOLVED']);
    });

    it('is not missed while it rests, nor at once when it is let run again', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: false } });
      await scene.pass(30 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { activated: true } });
      await scene.pass(10_000);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await scene.pass(7 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
    });

    it('is not missed where its ping was expected within a maintenance window', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      const iso = (ms: number) => new Date(scene.clock.now() + ms).toISOString();
      await call(at, contract.createMaintenanceWindow, {
        body: {
          ...{ name: 'w', startsAt: iso(4 * MINUTE), endsAt: iso(5.5 * MINUTE), repeatUnit: null },
          ...{ pauseAllChecks: true, timezone: 'UTC' },
        },
      });
      await scene.pass(11 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await scene.pass(2 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
    });

    it('is not missed where that window was ended early, nor just after it', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      const iso = (ms: number) => new Date(scene.clock.now() + ms).toISOString();
      const window = await call(at, contract.createMaintenanceWindow, {
        body: {
          ...{ name: 'w', startsAt: iso(4 * MINUTE), endsAt: iso(50 * MINUTE), repeatUnit: null },
          ...{ pauseAllChecks: true, timezone: 'UTC' },
        },
      });
      await scene.pass(11.5 * MINUTE);
      await call(at, contract.endMaintenanceWindow, { params: { id: window.id ?? 0 } });
      await scene.pass(5.5 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await scene.pass(MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
    });

    it('is due by its new period where that is changed', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      const shorter = { period: 30, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' } as const;
      await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { heartbeat: shorter } });
      await scene.pass(40_000);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
    });

    it('pages nobody for the time that the service itself was away', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      await scene.pass(2 * MINUTE);
      await scene.stop(at);
      await scene.clock.advance(60 * MINUTE);
      at = await scene.start();
      await scene.pass(5 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true]);
      await scene.pass(2 * MINUTE);
      expect(await verdictsOf(at, id)).toEqual([true, false]);
    });

    it.each([
      ['on by an hour', 60],
      ['on by five hours', 300],
      ['back by two hours', -120],
      ['back by five hours', -300],
      ['on by half a minute', 0.5],
      ['back by half a minute', -0.5],
    ])(
      'is missed at its own time where the clock is set %s, pinged before it or after',
      async (_, minutes) => {
        const before = await createHeartbeat(at, { name: 'before' });
        const after = await createHeartbeat(at, { name: 'after' });
        for (const { url } of [before, after]) await ping(at, url);
        scene.clock.step(minutes * MINUTE);
        // No search has seen the step yet.
        await ping(at, after.url);
        await scene.pass(5.5 * MINUTE);
        for (const { id } of [before, after]) expect(await verdictsOf(at, id)).toEqual([true]);
        await scene.pass(1.5 * MINUTE);
        for (const { id } of [before, after]) expect(await failuresOf(id)).toEqual([false]);
      },
    );

    it('is not missed by a clock that jumps both ways while pings come', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      for (const minutes of [-120, 180, 300, -700, 0.2, -60, 480]) {
        await scene.pass(2 * MINUTE);
        scene.clock.step(minutes * MINUTE);
        const pings = [ping(at, url), ping(at, url), ping(at, url)];
        expect((await Promise.all(pings)).map(({ status }) => status)).toEqual([200, 200, 200]);
        await scene.pass(2 * MINUTE);
      }
      expect(await verdictsOf(at, id)).not.toContain(false);
      await scene.pass(5 * MINUTE);
      expect(await failuresOf(id)).toEqual([false]);
    });

    it('is missed at its own time where the clock is set back while the service is away', async () => {
      const { id, url } = await createHeartbeat(at);
      await ping(at, url);
      await scene.pass(MINUTE);
      await scene.stop(at);
      scene.clock.step(-120 * MINUTE);
      await scene.clock.advance(MINUTE);
      at = await scene.start();
      await scene.pass(5 * MINUTE);
      expect(await failuresOf(id)).toEqual([]);
      await scene.pass(2 * MINUTE);
      expect(await failuresOf(id)).toEqual([false]);
    });

    it('is never run: by hand, in a group and as a test it is left out', async () => {
      const { id } = await createHeartbeat(at);
      const group = await call(at, contract.createCheckGroup, { body: { name: 'g' } });
      await call(at, contract.updateHeartbeatCheck, { params: { id }, body: { groupId: group.id ?? 0 } });
      await expect(
        call(at, contract.triggerCheckSessions, { body: { target: { checkId: [id] } } }),
      ).rejects.toThrow('cannot be run, they wait for pings: backup');
      const body = { name: 't', runLocation: 'eu-west-1', target: { checkId: [id] } };
      await expect(call(at, contract.triggerTestSessions, { body })).rejects.toThrow(
        'cannot be run, they wait for pings: backup',
      );
      expect(
        await at.service.engine.startGroup({
          accountId: at.accountId,
          groupId: group.id ?? 0,
          runSource: 'GROUP_RUN_ALL',
        }),
      ).toEqual([]);
    });
  });
}

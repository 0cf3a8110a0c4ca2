/** What must alert nobody, on a real service: cancelled runs, test sessions, maintenance. */

import { describe, expect, it } from 'vitest';
import type { AbortSignalLike } from '../../../../src/base/abort.ts';
import * as contract from '../../../../src/contract/index.ts';
import type { CheckGroupBody, MaintenanceWindowBody } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { BAD, GOOD } from './outcomes.ts';
import { overAll, own, scene } from './scene.ts';

const FAILURE = overAll('ALERT_FAILURE');
const MINUTE = 60_000;

/** Ends where it is aborted. */
const hang = (signal: AbortSignalLike) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a session that is cancelled', () => {
  it('alerts nobody, though a location of it had failed', async () => {
    const at = await scene({ locations: ['eu-west-1', 'us-east-1'], runParallel: true });
    at.finds(async ({ location }, signal) => (location === 'eu-west-1' ? BAD : hang(signal)));
    const id = await at.start();
    await eventually(async () => {
      const session = await at.engine.getSession(at.accountId, id);
      expect(session?.results).toMatchObject([{ hasFailures: true }]);
    });
    await at.engine.cancelSession(at.accountId, id);
    expect((await at.ended(id))?.status).toBe('CANCELLED');
    expect(await at.alerts()).toEqual([]);
  });

  it('neither recovers nor counts as a failed run', async () => {
    const at = await scene(own({ runBasedEscalation: { failedRunThreshold: 2 } }));
    await at.run(BAD);
    at.finds((_, signal) => hang(signal));
    const id = await at.start();
    await at.engine.cancelSession(at.accountId, id);
    await at.ended(id);
    expect(await at.alerts()).toEqual([]);
    at.finds(async () => BAD);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });
});

describe('a test session', () => {
  it('alerts nobody, and is no run of the check', async () => {
    const at = await scene(own({ runBasedEscalation: { failedRunThreshold: 2 } }));
    const test = async () => {
      const { testSessionId } = await call(at, contract.triggerTestSessions, {
        body: { name: 'try', runLocation: 'eu-west-1', target: { checkId: [at.check.id] } },
      });
      const params = { testSessionId: String(testSessionId) };
      return (await call(at, contract.awaitTestSession, { params, query: {} })).status;
    };
    await at.run(BAD);
    expect(await test()).toBe('FAILED');
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
    at.finds(async () => GOOD);
    expect(await test()).toBe('PASSED');
    expect(await at.alerts()).toEqual(FAILURE);
  });
});

describe('a maintenance window', () => {
  /** Open from the third to the twelfth minute. */
  async function within(body: Partial<MaintenanceWindowBody>, group: Partial<CheckGroupBody> = {}) {
    const clock = createManualClock();
    const at = await scene({ tags: ['dns'] }, { clock, group: { name: 'shop', tags: ['web'], ...group } });
    const from = clock.now();
    const { id } = await at.store.maintenanceWindows.create(at.accountId, {
      ...{ name: 'window', repeatUnit: null, ...body },
      startsAt: new Date(from + 2 * MINUTE).toISOString(),
      endsAt: new Date(from + 12 * MINUTE).toISOString(),
    });
    return { clock, at, id };
  }

  it.each<[what: string, body: Partial<MaintenanceWindowBody>]>([
    ['silenceAllAlerts', { silenceAllAlerts: true }],
    ['silenceAlertsTags with a tag of the check', { silenceAlertsTags: ['dns'] }],
    ['silenceAlertsTags with the name of its group', { silenceAlertsTags: ['shop'] }],
    ['silenceAlertsTags with a tag of its group', { silenceAlertsTags: ['web'] }],
  ])('with %s holds alerts back, and none comes late', async (_, body) => {
    const { clock, at } = await within(body);
    await clock.advance(5 * MINUTE);
    await at.run(BAD);
    await clock.advance(15 * MINUTE);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  it.each<[how: string, end: (at: Awaited<ReturnType<typeof scene>>, id: number) => Promise<unknown>]>([
    ['ends early', (at, id) => call(at, contract.endMaintenanceWindow, { params: { id } })],
    ['deletes', (at, id) => call(at, contract.deleteMaintenanceWindow, { params: { id } })],
  ])('that somebody %s holds back what began within it', async (_, end) => {
    const { clock, at, id } = await within({ silenceAllAlerts: true });
    await clock.advance(5 * MINUTE);
    const { session, answer } = await at.startWaiting(BAD);
    await clock.advance(1000);
    await end(at, id);
    await clock.advance(1000);
    answer();
    expect((await at.ended(session))?.status).toBe('FAILED');
    expect(await at.alerts()).toEqual([]);
    at.finds(async () => BAD);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  it('holds back nothing of others', async () => {
    const { clock, at } = await within({ silenceAlertsTags: ['mail'] });
    await clock.advance(5 * MINUTE);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  it('lets an escalation by time that falls into it wait for a failed run after it', async () => {
    const fiveMinutes = own({
      escalationType: 'TIME_BASED',
      timeBasedEscalation: { minutesFailingThreshold: 5 },
    });
    const { clock, at } = await within({ silenceAllAlerts: true }, fiveMinutes);
    await clock.advance(MINUTE);
    await at.run(BAD);
    await clock.advance(15 * MINUTE);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  const timed = (minutesFailingThreshold: 10 | 15) =>
    own({
      ...{ escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold } },
      reminders: { amount: 5, interval: 5 },
    });

  it('leaves no escalation by time to an instant after it: nobody knows what was found meanwhile', async () => {
    const { clock, at } = await within({ silenceAllAlerts: true }, timed(15));
    await clock.advance(MINUTE);
    await at.run(BAD);
    await clock.advance(5 * MINUTE);
    await at.run(GOOD);
    await clock.advance(30 * MINUTE);
    expect(await at.alerts()).toEqual([]);
  });

  it('lets none come late where the service was away when it was due', async () => {
    const { clock, at } = await within({ silenceAllAlerts: true }, timed(10));
    await clock.advance(MINUTE);
    await at.run(BAD);
    const start = await at.stop();
    await clock.advance(20 * MINUTE);
    await start();
    await clock.advance(20 * MINUTE);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  it('is followed by no reminder before a run says that the failure remains', async () => {
    const { clock, at } = await within(
      { silenceAllAlerts: true },
      own({ reminders: { amount: 5, interval: 5 } }),
    );
    await at.run(BAD);
    await clock.advance(5 * MINUTE);
    await at.run(GOOD);
    await clock.advance(30 * MINUTE);
    expect(await at.alerts()).toEqual(FAILURE);
    await at.run(BAD);
    await clock.advance(5 * MINUTE);
    await eventually(async () =>
      expect(await at.alerts()).toEqual([...FAILURE, ...overAll('ALERT_FAILURE_REMAIN')]),
    );
  });

  it('ends a row of failures with a good run within it', async () => {
    const { clock, at } = await within(
      { silenceAllAlerts: true },
      own({ runBasedEscalation: { failedRunThreshold: 2 } }),
    );
    await at.run(BAD);
    await clock.advance(5 * MINUTE);
    await at.run(GOOD);
    await clock.advance(15 * MINUTE);
    await at.run(BAD);
    expect(await at.alerts()).toEqual([]);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
  });

  it('with suppressAutoIncidents opens none, while people are alerted all the same', async () => {
    const statusPageVisibility = { enabled: true, suppressAutoIncidents: true };
    const { clock, at } = await within({ statusPageVisibility });
    const { id: serviceId } = await at.store.services.create(at.accountId, { name: 'shop' });
    const { id, body } = at.check;
    await at.store.checks.replace(at.accountId, id, {
      type: 'DNS',
      body: { ...body, triggerIncident: { serviceId, name: 'Shop' } },
    } as Parameters<typeof at.store.checks.replace>[2]);
    const incidents = async () =>
      (await at.store.incidents.list(at.accountId)).map((one) => one.body.lastUpdateStatus);
    await clock.advance(5 * MINUTE);
    await at.run(BAD);
    expect(await at.alerts()).toEqual(FAILURE);
    expect(await incidents()).toEqual([]);
    await clock.advance(15 * MINUTE);
    expect(await incidents()).toEqual([]);
    await at.run(GOOD);
    await at.run(BAD);
    expect(await incidents()).toEqual(['INVESTIGATING']);
  });
});

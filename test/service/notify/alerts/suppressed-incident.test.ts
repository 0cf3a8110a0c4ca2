/** Incidents and silence on a real service: maintenance with suppressAutoIncidents holds an incident back, nothing else does. */
import { describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { MaintenanceWindowBody } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';
import { BAD, GOOD } from './outcomes.ts';
import { own, scene } from './scene.ts';

const MINUTE = 60_000;
const SUPPRESSING = { statusPageVisibility: { enabled: true, suppressAutoIncidents: true } };
type Scene = Awaited<ReturnType<typeof scene>>;
type Fields = NonNullable<Parameters<typeof scene>[0]>;

/** A check that opens an incident of a service, and a window from the third to the twelfth minute. */
async function within(body: Partial<MaintenanceWindowBody>, fields: Fields = {}) {
  const clock = createManualClock();
  const at = await scene({ tags: ['dns'], ...fields }, { clock });
  const { id: serviceId } = await at.store.services.create(at.accountId, { name: 'shop' });
  const { id: checkId, body: check } = at.check;
  await at.store.checks.replace(at.accountId, checkId, {
    type: 'DNS',
    body: { ...check, triggerIncident: { serviceId, name: 'Shop' } },
  } as Parameters<typeof at.store.checks.replace>[2]);
  const { id } = await at.store.maintenanceWindows.create(at.accountId, {
    ...{ name: 'window', repeatUnit: null, ...body },
    startsAt: new Date(clock.now() + 2 * MINUTE).toISOString(),
    endsAt: new Date(clock.now() + 12 * MINUTE).toISOString(),
  });
  const incidents = async () =>
    (await at.store.incidents.list(at.accountId)).map((one) => one.body.lastUpdateStatus);
  return { clock, at, id, incidents };
}

/** How a window comes to its end. */
const ENDS: Readonly<Record<string, (at: Scene, id: number, clock: ManualClock) => Promise<unknown>>> = {
  'is over': (_at, _id, clock) => clock.advance(10 * MINUTE),
  'is over while the service is away': async (at, _id, clock) => {
    const start = await at.stop();
    clock.step(10 * MINUTE);
    await start();
  },
  'is ended early': (at, id) => call(at, contract.endMaintenanceWindow, { params: { id } }),
  'is deleted': (at, id) => call(at, contract.deleteMaintenanceWindow, { params: { id } }),
  'is changed': (at, id) =>
    call(at, contract.updateMaintenanceWindow, {
      params: { id },
      body: { statusPageVisibility: { enabled: true, suppressAutoIncidents: false } },
    }),
};

describe('an outage that outlives a window with suppressAutoIncidents', () => {
  it.each<[silencing: Partial<MaintenanceWindowBody>, since: 'before' | 'within', end: string]>([
    [{}, 'within', 'is over'],
    [{}, 'before', 'is over'],
    [{}, 'within', 'is over while the service is away'],
    [{}, 'before', 'is ended early'],
    [{}, 'within', 'is deleted'],
    [{}, 'within', 'is changed'],
    [{ silenceAllAlerts: true }, 'within', 'is over'],
    [{ silenceAllAlerts: true }, 'before', 'is changed'],
    [{ silenceAlertsTags: ['dns'] }, 'within', 'is ended early'],
    [{ silenceAlertsTags: ['dns'] }, 'before', 'is over while the service is away'],
    [{ pauseAllChecks: true }, 'within', 'is over'],
    [{ pauseAllChecks: true }, 'before', 'is deleted'],
  ])('and that %j silences, since %s it, opens its incident once it %s', async (silencing, since, end) => {
    const twice = own({ runBasedEscalation: { failedRunThreshold: 2 } });
    const { clock, at, id, incidents } = await within({ ...SUPPRESSING, ...silencing }, twice);
    if (since === 'before') await at.run(BAD);
    await clock.advance(5 * MINUTE);
    await at.run(BAD);
    await at.run(BAD);
    expect(await incidents()).toEqual([]);
    await ENDS[end]?.(at, id, clock);
    await clock.advance(MINUTE);
    expect(await incidents()).toEqual([]);
    await at.run(BAD);
    expect(await incidents()).toEqual(['INVESTIGATING']);
    await at.run(BAD);
    expect(await incidents()).toEqual(['INVESTIGATING']);
    await at.run(GOOD);
    expect(await incidents()).toEqual(['RESOLVED']);
  });

  it('opens none where it ended within the window', async () => {
    const { clock, at, incidents } = await within(SUPPRESSING);
    await clock.advance(5 * MINUTE);
    await at.run(BAD);
    await at.run(GOOD);
    await clock.advance(10 * MINUTE);
    await at.run(GOOD);
    expect(await incidents()).toEqual([]);
  });

  it('opens none by a run that began within the window, however that ended', async () => {
    const { clock, at, id, incidents } = await within(SUPPRESSING);
    await clock.advance(5 * MINUTE);
    const { session, answer } = await at.startWaiting(BAD);
    await clock.advance(1000);
    await ENDS['is deleted']?.(at, id, clock);
    await clock.advance(1000);
    answer();
    expect((await at.ended(session))?.status).toBe('FAILED');
    expect(await incidents()).toEqual([]);
    at.finds(async () => BAD);
    await at.run(BAD);
    expect(await incidents()).toEqual(['INVESTIGATING']);
  });

  it('escalates by time within it, and opens its incident by the first failed run after it', async () => {
    const timed = own({ escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } });
    const { clock, at, incidents } = await within(SUPPRESSING, timed);
    await clock.advance(MINUTE);
    await at.run(BAD);
    await clock.advance(20 * MINUTE);
    expect(await incidents()).toEqual([]);
    await at.run(BAD);
    expect(await incidents()).toEqual(['INVESTIGATING']);
  });
});

it.each<[what: string, body: Partial<MaintenanceWindowBody>, fields: Fields]>([
  ['a muted check', { silenceAlertsTags: ['mail'] }, { muted: true }],
  ['silenceAllAlerts', { silenceAllAlerts: true }, {}],
  ['silenceAlertsTags', { silenceAlertsTags: ['dns'] }, {}],
  ['pauseAllChecks', { pauseAllChecks: true }, {}],
])('%s holds back alerts and no incident', async (_, body, fields) => {
  const { clock, at, incidents } = await within(body, fields);
  await clock.advance(5 * MINUTE);
  await at.run(BAD);
  expect(await at.alerts()).toEqual([]);
  expect(await incidents()).toEqual(['INVESTIGATING']);
  await at.run(GOOD);
  expect(await at.alerts()).toEqual([]);
  expect(await incidents()).toEqual(['RESOLVED']);
});

it('opens its incident by time though its alerts are silenced, but not where it was paused meanwhile', async () => {
  const timed = own({ escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } });
  for (const [body, opened] of [
    [{ silenceAllAlerts: true }, ['INVESTIGATING']],
    [{ pauseAllChecks: true }, []],
  ] as const) {
    const { clock, at, incidents } = await within(body, timed);
    await clock.advance(MINUTE);
    await at.run(BAD);
    await clock.advance(20 * MINUTE);
    expect(await incidents()).toEqual(opened);
    expect(await at.alerts()).toEqual([]);
  }
});

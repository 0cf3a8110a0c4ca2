/** Pings and missed pings over HTTP, on a clock that the test moves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns, violations } from './support.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T08:00:00Z');
const clock = createManualClock(START);
let service: TestService;
let checkId: string;
let pingUrl: string;
beforeAll(async () => {
  service = await startTestService({ clock });
  const heartbeat = { period: 10, periodUnit: 'minutes', grace: 2, graceUnit: 'minutes' } as const;
  const check = await call(service, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
  checkId = String(check.id);
  pingUrl = `${service.url}${new URL(check.heartbeat?.pingUrl ?? '').pathname}`;
});
afterAll(() => service.close());

const ping = (method: string, userAgent: string) =>
  fetch(pingUrl, { method, headers: { 'user-agent': userAgent } });
const list = async (query: object = {}) => {
  const [first] = await call(service, contract.listHeartbeatEvents, { params: { checkId }, query });
  return first?.events ?? [];
};
const availability = (query: object = {}) =>
  call(service, contract.getHeartbeatAvailability, { params: { checkId }, query });

it('nothing is known of a heartbeat without events', async () => {
  expect(await list()).toEqual([]);
  expect(await availability()).toEqual({ successRatio: {}, totalEntitiesCurrentPeriod: 0 });
});

describe('events', () => {
  beforeAll(async () => {
    // The first one, one in time, one in the grace period, none for 13 minutes, and one after that.
    await ping('GET', 'first');
    await clock.advance(9 * MINUTE);
    await ping('POST', 'in time');
    await clock.advance(11 * MINUTE);
    await ping('HEAD', 'in grace');
    await clock.advance(13 * MINUTE);
    await eventually(async () => expect(await list()).toHaveLength(4));
    await ping('GET', 'late');
  });

  it('are the recorded pings and missed pings, newest first', async () => {
    const at = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();
    const id = expect.any(String);
    const [late, missed, ...before] = await list();
    expect(late).toEqual({ id, state: 'LATE', timestamp: at(33), source: 'GET', userAgent: 'late' });
    expect(missed).toMatchObject({ state: 'FAILING', source: null, userAgent: null });
    expect(before).toEqual([
      { id, state: 'GRACE', timestamp: at(20), source: 'HEAD', userAgent: 'in grace' },
      { id, state: 'RECEIVED', timestamp: at(9), source: 'POST', userAgent: 'in time' },
      { id, state: 'RECEIVED', timestamp: at(0), source: 'GET', userAgent: 'first' },
    ]);
  });

  it('are limited to a range, in seconds or ISO 8601', async () => {
    const range = {
      startTime: new Date(START + MINUTE).toISOString(),
      endTime: String(START / 1000 + 21 * 60),
    };
    expect((await list(range)).map(({ userAgent }) => userAgent)).toEqual(['in grace', 'in time']);
    expect((await list({ limit: 1 })).map(({ userAgent }) => userAgent)).toEqual(['late']);
    const answer = await ask(service, contract.listHeartbeatEvents, {
      params: { checkId },
      query: { startTime: 'yesterday' },
    });
    expect([answer.status, violations(answer.body)[0]?.path]).toEqual([400, 'startTime']);
  });

  it('are found one by one, with the availability', async () => {
    const [event] = await list();
    const params = { checkId, id: event?.id ?? '' };
    const day = { successRatio: { currentPeriod: 80 }, totalEntitiesCurrentPeriod: 5 };
    expect(await call(service, contract.getHeartbeatEvent, { params })).toEqual({
      event,
      stats: { last24Hours: day, last7Days: day },
    });
    const other = await call(service, contract.createDnsCheck, { body: { ...dns, activated: false } });
    expect(
      (await ask(service, contract.getHeartbeatEvent, { params: { ...params, checkId: other.id } })).status,
    ).toBe(404);
  });

  it('count for the range, and for the one before it', async () => {
    await clock.advance(60 * MINUTE - (clock.now() - START));
    await ping('GET', 'in the next hour');
    // The hour from 9:00, and the one from 8:00.
    const range = { startTime: '2026-11-21T09:00:00Z', endTime: '2026-11-21T10:00:00Z' };
    expect(await availability(range)).toMatchObject({
      successRatio: { previousPeriod: expect.any(Number), currentPeriod: 100 },
      totalEntitiesCurrentPeriod: 1,
    });
  });
});

it('a check of another type has no events', async () => {
  const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, activated: false } });
  expect(await ask(service, contract.getHeartbeatAvailability, { params: { checkId: id } })).toMatchObject({
    status: 404,
    body: { message: `Heartbeat check ${id} not found` },
  });
});

/** The documented rates on the real service, to the millisecond: 5 requests in any 10 s to the deprecated listing, of each key. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { DEFAULT_LIMITS } from '../../../../src/service/http/server/http-limits.ts';
import { createRateCounter } from '../../../../src/service/http/server/rate-limiter.ts';
import { call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';

const clock = createManualClock();
let service: TestService;
let checkId: string;
beforeAll(async () => {
  service = await startTestService({ clock, limits: { rates: DEFAULT_LIMITS.rates } });
  const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '', activated: false };
  checkId = String((await call(service, contract.createDnsCheck, { body: { ...body, frequency: 1440 } })).id);
});
afterAll(() => service.close());
beforeEach(() => clock.advance(60_000));

const listing = async (apiKey = service.apiKey) =>
  send({ ...service, apiKey }, `GET /v1/check-results/${checkId}`);
const statuses = async (count: number, apiKey?: string) => {
  const seen: number[] = [];
  for (let n = 0; n < count; n += 1) seen.push((await listing(apiKey)).status);
  return seen;
};

describe('the deprecated listing', () => {
  it('answers five requests in ten seconds, and says of the sixth in how many seconds it will be answered', async () => {
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 200]);
    await clock.advance(2500);
    const { status, headers, body } = await listing();
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('8');
    expect(body).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    await clock.advance(7499);
    expect((await listing()).headers.get('retry-after')).toBe('1');
    await clock.advance(1);
    expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('answers no more than five in any ten seconds, wherever they begin', async () => {
    expect(await statuses(1)).toEqual([200]);
    await clock.advance(9000);
    expect(await statuses(4)).toEqual([200, 200, 200, 200]);
    await clock.advance(1000);
    // The first is ten seconds ago; the four are one.
    expect(await statuses(2)).toEqual([200, 429]);
    await clock.advance(9000);
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429]);
  });

  it('counts for each key by itself, also of one account, and apart from all other requests', async () => {
    const another = (await service.store.keys.create(service.accountId, 'another')).secret;
    expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await statuses(6, another)).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await send(service, `GET /v2/check-results/${checkId}`)).status).toBe(200);
    expect((await send({ ...service, apiKey: 'wrong' }, `GET /v1/check-results/${checkId}`)).status).toBe(
      401,
    );
  });

  it('is open again after as long, whichever way the clock of the machine is set meanwhile', async () => {
    for (const ms of [-7_200_000, 7_200_000]) {
      await clock.advance(10_000);
      expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
      clock.step(ms);
      expect(await statuses(1)).toEqual([429]);
      await clock.advance(10_000);
      expect(await statuses(1)).toEqual([200]);
    }
  });
});

it('remembers the keys that asked last, and gives each rate a count of its own', () => {
  const limit = { requests: 600, windowSeconds: 60 };
  const [standing, another] = [createRateCounter(limit, clock), createRateCounter(limit, clock)];
  const told = Array.from({ length: 602 }, () => standing('busy'));
  expect(told.slice(-3).map(({ remaining: left, isExceeded }) => [left, isExceeded])).toEqual([
    [0, false],
    [0, true],
    [0, true],
  ]);
  expect(another('busy').remaining).toBe(599);
  for (let n = 0; n < 4999; n += 1) standing(`key ${n}`);
  expect(standing('busy').isExceeded).toBe(true);
  for (let n = 0; n < 5000; n += 1) standing(`other ${n}`);
  expect(standing('busy').remaining).toBe(599);
});

it('counts what any stretch of time holds, however many have passed before', async () => {
  const standing = createRateCounter({ requests: 3000, windowSeconds: 1 }, clock);
  for (let second = 0; second < 5; second += 1) {
    const told = Array.from({ length: 3001 }, () => standing('busy').isExceeded);
    expect([told.indexOf(true), told.lastIndexOf(false)]).toEqual([3000, 2999]);
    await clock.advance(999);
    expect(standing('busy')).toEqual({ isExceeded: true, remaining: 0, resetMs: 1 });
    await clock.advance(1);
  }
});

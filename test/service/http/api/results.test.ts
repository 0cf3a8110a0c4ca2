/** Results over HTTP: what they came to once they are gone, and the edges of the 6 hours, on the real service. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { BAD, createTarget, SLOW } from '../../engine/harness.ts';
import { violations } from './support.ts';

const START = Date.parse('2026-11-21T08:30:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIRST_HOUR = START - 30 * MINUTE;
/** Raw results are kept for an hour here. */
const KEPT = HOUR;

const clock = createManualClock(START);
const target = createTarget();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    clock,
    engine: { runners: { DNS: target.runner }, retentionMs: KEPT },
  });
});
afterAll(() => service.close());

type CheckBody = contract.BodyOf<typeof contract.createDnsCheck>;
async function newCheck(more: Partial<CheckBody>): Promise<string> {
  const body = { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' };
  const fields: Partial<CheckBody> = { retryStrategy: null, locations: ['eu-west-1'], ...more };
  return String((await call(service, contract.createDnsCheck, { body: { ...body, ...fields } })).id);
}

type RollUp = Awaited<ReturnType<typeof rollUps>>[number];
async function rollUps(checkId: string, query: object = {}) {
  const entries = [];
  let nextId: string | null = null;
  do {
    const page: { entries: readonly { startsAt: string; location: string }[]; nextId: string | null } =
      await call(service, contract.listCheckRollUps, {
        params: { checkId },
        query: { limit: 2, ...query, ...(nextId === null ? {} : { nextId }) },
      });
    entries.push(...page.entries);
    nextId = page.nextId;
  } while (nextId !== null);
  return entries;
}

it('roll-ups answer the same after the raw results are gone, by hour and day, page by page', async () => {
  // At 8:33, 8:48, 9:03 and 9:18, in two places.
  const locations: CheckBody['locations'] = ['eu-west-1', 'us-east-1'];
  const checkId = await newCheck({ frequency: 15, frequencyOffset: 30, locations, runParallel: true });
  target.finds(BAD, SLOW, { hasErrors: true, errors: ['ours'] }, {}, BAD);
  await clock.advance(55 * MINUTE);
  const raw = async () =>
    (await call(service, contract.listCheckResults, { params: { checkId }, query: { limit: 100 } })).entries;
  await eventually(async () => expect(await raw()).toHaveLength(2 * 4));
  const before = { hours: await rollUps(checkId), days: await rollUps(checkId, { period: 'DAY' }) };
  await call(service, contract.updateDnsCheck, { params: { id: checkId }, body: { activated: false } });

  await clock.advance(KEPT + 10 * MINUTE);
  await eventually(async () => expect(await raw()).toEqual([]));
  const deprecated = { params: { checkId }, query: { from: START / 1000, to: (START + 6 * HOUR) / 1000 } };
  expect(await call(service, contract.listCheckResultsDeprecated, deprecated)).toEqual([]);
  expect(await rollUps(checkId)).toEqual(before.hours);
  expect(await rollUps(checkId, { period: 'DAY' })).toEqual(before.days);

  const counts = ({ startsAt, ...one }: RollUp) => [
    Date.parse(startsAt) - FIRST_HOUR,
    one.location,
    ...['passed', 'degraded', 'failed', 'errors', 'cancelled'].map(
      (name) => (one as unknown as Record<string, number>)[name],
    ),
  ];
  const sums = before.hours
    .map(counts)
    .reduce<number[]>((sum, [, , ...each]) => each.map((count, n) => Number(count) + (sum[n] ?? 0)), []);
  expect(sums).toEqual([4, 1, 2, 1, 0]);
  expect(before.hours.map(counts).map(([at, location]) => [at, location])).toEqual(
    [1, 0].flatMap((hour) => ['us-east-1', 'eu-west-1'].map((location) => [hour * HOUR, location])),
  );
  const one = { from: (FIRST_HOUR + HOUR) / 1000, to: (FIRST_HOUR + 2 * HOUR) / 1000, location: 'us-east-1' };
  expect((await rollUps(checkId, one)).map(counts).map(([at]) => at)).toEqual([HOUR]);
});

describe('the 6 hours of the deprecated listing', () => {
  const second = (ms: number) => Math.floor(ms / 1000);
  let checkId: string;
  let now: number;
  beforeAll(async () => {
    checkId = await newCheck({ activated: false });
    now = clock.now();
    const { results, sessions } = engineStore(service.store);
    // At each edge that is asked for, and the milliseconds about it.
    for (const at of [-12 * HOUR, -6 * HOUR, 0, 6 * HOUR].flatMap((edge) => [edge - 1, edge, edge + 1])) {
      const id = randomUUID();
      const ids = { account_id: service.accountId, check_id: checkId, test_session_id: null };
      const session = { ...ids, check_name: 'd', check_type: 'DNS', started_at: now + at };
      await sessions.insert([
        {
          ...{ ...session, id, status: 'PASSED', run_source: 'SCHEDULER', scheduled_at: null },
          ...{ stopped_at: now + at, ends_by: null, locations: '[]', plan: null, batch_id: null },
          ...{ batch_place: null, cancelled_at: null },
        },
      ]);
      await results.insert([
        {
          ...{ ...session, id, session_id: id, location: 'eu-west-1', check_run_id: 1, sequence_id: id },
          ...{ attempt: 0, result_type: 'FINAL', has_failures: 0, aborted: 0, has_errors: 0, is_degraded: 0 },
          ...{ over_max_response_time: 0, is_cancelled: 0, stopped_at: now + at, created_at: now + at },
          ...{ response_time_us: 1, errors: '[]', details: '{}', error_group_ids: '[]' },
        },
      ]);
    }
  });
  const asked = (query: object) =>
    ask(service, contract.listCheckResultsDeprecated, {
      params: { checkId },
      query: { limit: 100, ...query },
    });
  const seen = async (query: object) =>
    ((await asked(query)).body as { startedAt: string }[]).map(
      ({ startedAt }) => Date.parse(startedAt) - now,
    );

  it('reach from 6 hours ago up to now where neither end is given', async () => {
    expect(await seen({})).toEqual([0, -1, -6 * HOUR + 1]);
  });

  it('begin at from, which is within, and end at to, which is not', async () => {
    const [from, to] = [second(now - 6 * HOUR), second(now)];
    const within = [-1, -6 * HOUR + 1, -6 * HOUR];
    expect(await seen({ from, to })).toEqual(within);
    expect(await seen({ to })).toEqual(within);
    expect(await seen({ from })).toEqual(within);
  });

  it('may be asked for whole, and not by a second more, nor backwards', async () => {
    const from = second(now - 6 * HOUR);
    expect((await asked({ from, to: from + 6 * 3600 })).status).toBe(200);
    expect(await asked({ from, to: from + 6 * 3600 + 1 })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('at most 6 hours') },
    });
    expect(await asked({ from, to: from - 1 })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must not be before from') },
    });
    expect(await seen({ from, to: from })).toEqual([]);
  });

  it('hold for the deprecated listing alone: its replacement goes as far back as there are results', async () => {
    const query = { limit: 100 };
    const { entries } = await call(service, contract.listCheckResults, { params: { checkId }, query });
    expect(entries).toHaveLength(12);
    const wide = { from: second(now - 12 * HOUR), to: second(now) };
    const answer = await ask(service, contract.listCheckResults, { params: { checkId }, query: wide });
    expect(answer.status).toBe(400);
  });
});

describe('the location filter', () => {
  it('takes private locations, and names those there are where one is unknown', async () => {
    await call(service, contract.createPrivateLocation, { body: { name: 'Office', slugName: 'office' } });
    const checkId = await newCheck({});
    for (const endpoint of [
      contract.listCheckResults,
      contract.listCheckResultsDeprecated,
      contract.listCheckRollUps,
    ] as const) {
      const asked = (location: string) =>
        ask(service, endpoint, { params: { checkId }, query: { location } });
      expect((await asked('office')).status).toBe(200);
      expect((await asked('eu-west-1')).status).toBe(200);
      const { status, body } = await asked('ofice');
      expect(status).toBe(400);
      expect(body).toMatchObject({
        attributes: { violations: [{ in: 'query', path: 'location', nearest: 'office' }] },
      });
      const [violation] = violations(body) as { allowed?: string[] }[];
      expect(violation?.allowed).toEqual(expect.arrayContaining(['eu-west-1', 'office']));
    }
  });
});

/** Filters of lists: every documented one selects what its meaning says, and an unknown one is refused, on both databases. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zoneOf } from '../../../../src/calendar/zone.ts';
import type { Endpoint } from '../../../../src/contract/endpoint.ts';
import { answers } from '../../../../src/contract/generated/answers.js';
import * as contract from '../../../../src/contract/index.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { send } from '../../../support/send.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { rollUpHour, storeResults } from './stored-results.ts';
import { dns, violations } from './support.ts';

const NOW = Date.parse('2026-11-21T12:30:00Z');
const HOUR = 3_600_000;

const inDatabases = [
  ['SQLite', async () => undefined],
  ['Postgres', async () => ({ url: await (await openPostgres()).createDatabase() })],
] as const;

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value;
const LISTS = Object.values<unknown>(contract)
  .filter(isEndpoint)
  .filter(
    ({ name, method, paging, resource, caller }) =>
      caller !== 'agent' &&
      method === 'GET' &&
      (paging !== undefined || answers[name]?.type === 'array' || resource === 'analytics'),
  );

const url = (query: Readonly<Record<string, unknown>>): string =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');

describe.each(inDatabases)('on %s', (_, database) => {
  let service: TestService;
  beforeAll(async () => {
    const store = await database();
    service = await startTestService({
      ...(store && { store }),
      clock: createManualClock(NOW),
      version: '2.0.0',
    });
  });
  afterAll(() => service?.close());

  const read = async <Row = { id: unknown }>(path: string, query: Readonly<Record<string, unknown>>) => {
    const { status, body } = await send(service, `GET ${path}?${url(query)}`);
    expect([status, status === 200 ? '' : JSON.stringify(body)]).toEqual([200, '']);
    return (Array.isArray(body) ? body : (body as { entries: unknown[] }).entries) as Row[];
  };

  describe('an unknown parameter', () => {
    it.each(LISTS.map((endpoint) => [endpoint.name, endpoint] as const))(
      'of %s is refused',
      async (_name, endpoint) => {
        const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_all, param: string) =>
          endpoint.params.properties?.[param]?.type === 'integer' ? '1' : randomUUID(),
        );
        const refused = async (name: string) => {
          const { status, body } = await send(service, `GET ${path}?${name}=1`);
          expect([name, status]).toEqual([name, 400]);
          return violations(body).find((each) => each.path === name) as { nearest?: string } | undefined;
        };
        expect(await refused('zzzzqqqq')).toBeDefined();
        for (const name of Object.keys(endpoint.query.properties ?? {}))
          if (name.length > 3) expect(await refused(`${name}z`)).toMatchObject({ nearest: name });
      },
    );
  });

  it('test sessions are those that match every filter', async () => {
    const as = await service.newAccount();
    const { testSessions } = engineStore(service.store);
    const text = fc.constantFrom('main', 'fix%', 'fix_1', 'a"b', 'Ada', 'release');
    const metadata = fc.record(
      { branchName: text, commitOwner: text, commitMessage: text, environment: text },
      { requiredKeys: [] },
    );
    const session = fc.record({
      name: text,
      status: fc.constantFrom('RUNNING', 'FAILED', 'PASSED', 'CANCELLED'),
      started_at: fc.integer({ min: NOW - 20, max: NOW + 20 }),
      metadata: fc.option(metadata),
    });
    const made = fc.sample(session, { numRuns: 40, seed: 7 }).map((each) => ({ ...each, id: randomUUID() }));
    for (const each of made)
      await testSessions.insert({
        ...each,
        account_id: as.accountId,
        stopped_at: null,
        metadata: each.metadata === null ? null : JSON.stringify(each.metadata),
      });
    const moment = fc.integer({ min: -25_000, max: 25_000 }).map((us) => NOW / 1000 + us / 1_000_000);
    const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 3 });
    const filter = fc.record(
      {
        from: moment,
        to: moment,
        statuses: fc.subarray(['RUNNING', 'FAILED', 'PASSED', 'CANCELLED'], { minLength: 1 }),
        branches: texts,
        users: texts,
        noUsers: fc.boolean(),
        providers: fc.subarray(['API', 'GITHUB', 'TRIGGER'], { minLength: 1 }),
        textSearch: fc.constantFrom('FIX', 'ix%', 'x_1', 'a"b', 'ada', 'release', 'nowhere'),
        errorGroupId: fc.constantFrom(randomUUID(), 'null'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filter, async (query) => {
        const { from = 0, to = Number.MAX_VALUE, statuses, branches, users, noUsers, providers } = query;
        const wanted = made.filter(({ name, status, started_at: at, metadata: own }) => {
          const owner = own?.commitOwner;
          const isOfUser =
            users?.includes(owner as never) === true || (noUsers === true && owner === undefined);
          const search = query.textSearch?.toLowerCase();
          return (
            at / 1000 >= from &&
            at / 1000 < to &&
            (statuses?.includes(status) ?? true) &&
            (branches?.includes(own?.branchName as never) ?? true) &&
            (isOfUser || (users === undefined && noUsers !== true)) &&
            (providers?.includes('API') ?? true) &&
            (query.errorGroupId ?? 'null') === 'null' &&
            (search === undefined ||
              [name, ...Object.values(own ?? {})].some((some) => some?.toLowerCase().includes(search)))
          );
        });
        const { body } = await send({ ...service, ...as }, `GET /v1/test-sessions?limit=100&${url(query)}`);
        const found = (body as { entries: { id: string }[] }).entries.map(({ id }) => id);
        expect(found.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
      }),
      { numRuns: 60 },
    );
  });

  it('checks are API checks whose URL contains the pattern, and groups have the names and tags', async () => {
    const urls = ['https://shop.example.com/a%20b', 'https://SHOP.example.com/x_y', 'https://example.org'];
    for (const each of urls)
      await call(service, contract.createApiCheck, {
        body: { name: each, request: { method: 'GET', url: each }, activated: false } as never,
      });
    await call(service, contract.createDnsCheck, { body: { ...dns, activated: false } });
    for (const pattern of ['shop.', '%20', '%', 'x_y', 'x-y', 'https', 'ORG', 'resolves']) {
      const checks = await read<{ name: string }>('/v1/checks', { apiCheckUrlFilterPattern: pattern });
      const expected = urls.filter((each) => each.toLowerCase().includes(pattern.toLowerCase()));
      expect([pattern, ...checks.map(({ name }) => name).toSorted()]).toEqual([
        pattern,
        ...expected.toSorted(),
      ]);
    }

    const pick = ['a', 'A', 'b%', 'c'] as const;
    const groups = fc
      .sample(fc.record({ name: fc.constantFrom(...pick), tags: fc.subarray([...pick]) }), {
        numRuns: 12,
        seed: 3,
      })
      .map((each) => ({ ...each, id: 0 }));
    for (const each of groups)
      each.id = Number(
        (await call(service, contract.createCheckGroup, { body: { ...each, id: undefined } as never })).id,
      );
    const some = fc.subarray([...pick], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.record({ name: some, tag: some }, { requiredKeys: [] }), async ({ name, tag }) => {
        const found = await read<{ id: number }>('/v1/check-groups', { limit: 100, name, tag });
        const wanted = groups.filter(
          (each) =>
            (name?.includes(each.name as never) ?? true) &&
            (tag === undefined || each.tags.some((own) => tag.includes(own))),
        );
        expect(found.map(({ id }) => id).toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
      }),
      { numRuns: 20 },
    );
  });

  it('a check has the settings of its group where they are requested', async () => {
    const group = await call(service, contract.createCheckGroup, {
      body: {
        name: 'g',
        tags: ['of group'],
        locations: ['eu-west-2'],
        activated: false,
        muted: true,
      } as never,
    });
    const { id } = await call(service, contract.createDnsCheck, {
      body: { ...dns, groupId: Number(group.id), tags: ['own'], locations: ['us-east-1'] },
    });
    const own = { tags: ['own'], locations: ['us-east-1'], activated: true, muted: false };
    const effective = { tags: ['own', 'of group'], locations: ['eu-west-2'], activated: false, muted: true };
    const shown = async (path: string) => (await send(service, `GET ${path}`)).body;
    expect(await shown(`/v1/checks/${id}`)).toMatchObject(own);
    expect(await shown(`/v1/checks/${id}?applyGroupSettings=true`)).toMatchObject(effective);
    expect(await shown(`/v1/checks?search=${id}&applyGroupSettings=true`)).toMatchObject([effective]);
    expect(await shown(`/v1/checks?search=${id}`)).toMatchObject([own]);
  });

  it('results have the requested fields, from a fraction of a second on', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, activated: false } });
    const at = ['2026-11-21T11:00:00.250Z', '2026-11-21T11:00:00.251Z'];
    await storeResults(
      service,
      { id: String(id), type: 'DNS' },
      at.map((each) => ({ at: each })),
    );
    const path = `/v2/check-results/${id}`;
    const [one] = await read<object>(path, {});
    const names = Object.keys(one ?? {});
    for (const fields of [['id'], ['id', 'startedAt'], names]) {
      const rows = await read<object>(path, { fields: fields.join(',') });
      expect(rows.map((row) => Object.keys(row).toSorted())).toEqual([fields.toSorted(), fields.toSorted()]);
    }
    expect((await send(service, `GET ${path}?fields=nothing`)).status).toBe(400);
    const second = Date.parse('2026-11-21T11:00:00Z') / 1000;
    const startedAt = async (query: object) =>
      (await read<{ startedAt: string }>(path, { ...query })).map((each) => each.startedAt);
    expect(await startedAt({ from: second + 0.25 })).toHaveLength(2);
    expect(await startedAt({ from: second + 0.2501 })).toEqual([at[1]]);
    expect(await startedAt({ to: second + 0.251 })).toEqual([at[0]]);
  });

  it('a report has one aggregate per day, week or month of the time zone', async () => {
    const as = { ...service, ...(await service.newAccount()) };
    const { id } = await call(as, contract.createDnsCheck, { body: { ...dns, activated: false } });
    const from = Date.parse('2026-10-05T00:00:00Z');
    const hours = fc.sample(fc.integer({ min: 0, max: 47 * 24 }), { numRuns: 60, seed: 5 });
    const results = [...new Set(hours)].map((hour, index) => ({
      at: new Date(from + hour * HOUR).toISOString(),
      outcome: index % 3 === 0 ? ('failed' as const) : ('passed' as const),
    }));
    await storeResults(as, { id: String(id), type: 'DNS' }, results);
    for (const { at } of results) await rollUpHour(as, String(id), at);

    /** The local date of an instant, and of its week and month, in the words of Intl. */
    const bucketOf = (instant: number, granularity: string, timezone: string) => {
      const local = new Date(instant + zoneOf(timezone)(instant));
      if (granularity === 'month') return local.toISOString().slice(0, 7);
      if (granularity === 'week') local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
      return local.toISOString().slice(0, 10);
    };
    for (const timezone of [undefined, 'America/New_York', 'Pacific/Auckland'])
      for (const granularity of ['day', 'week', 'month']) {
        const query = { from: from / 1000, to: (from + 48 * 24 * HOUR) / 1000, granularity, timezone };
        const { body } = await send(as, `GET /v1/reporting?${url(query)}`);
        const [report] = body as {
          aggregate?: object;
          aggregates: { from: string; successRatio: number }[];
        }[];
        expect(report?.aggregate).toBeUndefined();
        const expected = new Map<string, { passed: number; all: number }>();
        for (const { at, outcome } of results) {
          const bucket = bucketOf(Date.parse(at), granularity, timezone ?? 'UTC');
          const { passed, all } = expected.get(bucket) ?? { passed: 0, all: 0 };
          expected.set(bucket, { passed: passed + Number(outcome === 'passed'), all: all + 1 });
        }
        const found = report?.aggregates.map(
          (each) =>
            [
              bucketOf(Date.parse(each.from), granularity, timezone ?? 'UTC'),
              each.successRatio.toFixed(1),
            ] as const,
        );
        expect(found).toEqual(
          [...expected]
            .map(([bucket, { passed, all }]) => [bucket, ((100 * passed) / all).toFixed(1)])
            .toSorted(([one = ''], [other = '']) => one.localeCompare(other)),
        );
      }
    for (const wrong of ['granularity=hour', 'granularity=day&timezone=%2B05:00', 'timezone=Nowhere/At'])
      expect((await send(as, `GET /v1/reporting?${wrong}`)).status).toBe(400);
    const long = { from: 0, to: NOW / 1000, granularity: 'month' };
    expect((await send(as, `GET /v1/reporting?${url(long)}`)).status).toBe(400);
  });

  it('services are all returned without pages, and running agents by version where requested', async () => {
    for (let number = 0; number < 25; number += 1)
      await call(service, contract.createService, { body: { name: `s${number}` } });
    expect(await read('/v1/status-pages/services', {})).toHaveLength(20);
    expect(await read('/v1/status-pages/services', { paginated: false })).toHaveLength(25);

    const location = await call(service, contract.createPrivateLocation, {
      body: { name: 'Office', slugName: 'office' },
    });
    const key = { authorization: `Bearer ${location.keys[0]?.rawKey}` };
    for (const [agentId, version] of [
      [randomUUID(), '2.0.0'],
      [randomUUID(), '2.0.0'],
      [randomUUID(), '1.10.0'],
      [randomUUID(), '1.9.0'],
    ])
      expect((await send(service, 'POST /v1/agents/announce', { agentId, version }, key)).status).toBe(200);
    const [shown] = await read<{ runningAgents?: { version: string; isOutdated: boolean; count: number }[] }>(
      '/v1/private-locations',
      { versions: true },
    );
    expect(
      shown?.runningAgents?.map(({ version, isOutdated, count }) => [version, isOutdated, count]).toSorted(),
    ).toEqual([
      ['1.10.0', true, 1],
      ['1.9.0', true, 1],
      ['2.0.0', false, 2],
    ]);
    const [plain] = await read<object>('/v1/private-locations', {});
    expect(plain).not.toHaveProperty('runningAgents');
    expect(plain).toHaveProperty('minAgentVersion', '1.9.0');
  });
});

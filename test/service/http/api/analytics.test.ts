/** Analytics, summaries, reports and statuses of stored results, on both databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { openPostgres } from '../../../support/postgres.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { rollUpHour, type StoredResult, storeResults } from './stored-results.ts';
import { dns } from './support.ts';

/** A Saturday. */
const NOW = '2026-11-21T12:30:00Z';
const RETENTION_MS = 10 * 24 * 3_600_000;

const inDatabases = [
  ['SQLite', async () => undefined],
  ['Postgres', async () => ({ url: await (await openPostgres()).createDatabase() })],
] as const;

describe.each(inDatabases)('on %s', (_, database) => {
  let service: TestService;
  beforeAll(async () => {
    const store = await database();
    service = await startTestService({
      ...(store === undefined ? {} : { store }),
      clock: createManualClock(Date.parse(NOW)),
      engine: { retentionMs: RETENTION_MS },
    });
  });
  afterAll(() => service?.close());

  const off = { activated: false } as const;
  async function newDns(results: readonly StoredResult[], fields: object = {}): Promise<string> {
    const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, ...off, ...fields } });
    await storeResults(service, { id: String(id), type: 'DNS' }, results);
    return String(id);
  }
  type Query = contract.QueryOf<typeof contract.getDnsCheckAnalytics>;
  const read = (id: string, metrics: string, query: Partial<Query> = {}) =>
    call(service, contract.getDnsCheckAnalytics, {
      params: { id },
      query: { ...query, metrics: metrics.split(',') } as Query,
    });
  const rowOf = async (id: string, metrics: string, query: Partial<Query> = {}) =>
    (await read(id, metrics, query)).series[0]?.data[0];

  /** Three results with a verdict in the last 24 hours; the rest does not count there. */
  const RESULTS: readonly StoredResult[] = [
    { at: '2026-11-21T11:05:00Z', time: 10 },
    { at: '2026-11-21T11:35:00Z', time: 30, outcome: 'failed' },
    { at: '2026-11-21T12:10:00Z', time: 20, outcome: 'degraded', location: 'us-east-1', retries: 2 },
    { at: '2026-11-21T12:20:00Z', time: 999, outcome: 'error', location: 'us-east-1' },
    { at: '2026-11-21T12:25:00Z', time: 999, outcome: 'cancelled' },
    { at: '2026-11-21T12:26:00Z', time: 999, outcome: 'failed', isAttempt: true },
    { at: '2026-11-20T11:00:00Z', time: 50 },
    { at: '2026-11-15T23:59:59Z', time: 70 },
    { at: '2026-11-08T23:00:00Z', time: 90 },
    { at: '2026-10-31T23:00:00Z', time: 110 },
  ];

  describe('metrics of roll-ups', () => {
    let id: string;
    beforeAll(async () => {
      id = await newDns(RESULTS, { tags: ['a'] });
      // Some results are rolled up, others are not yet.
      await rollUpHour(service, id, '2026-11-21T11:05:00Z');
      await rollUpHour(service, id, '2026-10-31T23:00:00Z');
    });

    it('count results with a verdict, and their response times', async () => {
      const answer = await read(id, 'availability,total_avg,total_min,total_max,total_sum,total_p95');
      expect(answer).toMatchObject({
        ...{ checkId: id, checkType: 'DNS', activated: false, tags: ['a'] },
        ...{ from: '2026-11-20T12:00:00.000Z', to: '2026-11-21T12:30:00.000Z' },
        metadata: {
          availability: { unit: 'percentage' },
          total_p95: { unit: 'milliseconds', aggregation: 'p95' },
        },
      });
      const row = answer.series[0]?.data[0] as Record<string, number>;
      expect(row).toMatchObject({
        ...{ availability: 66.6667, total_avg: 20, total_min: 10, total_max: 30, total_sum: 60 },
      });
      expect(Math.abs(Number(row.total_p95) - 30)).toBeLessThan(0.5);
    });

    it.each([
      ['last24Hours', 60],
      ['last7Days', 180],
      ['thisWeek', 110],
      ['lastWeek', 70],
      ['last30Days', 380],
      ['thisMonth', 270],
      ['lastMonth', 110],
    ] as const)('of %s have the results of that range alone', async (quickRange, total_sum) => {
      expect(await rowOf(id, 'total_sum', { quickRange })).toEqual({ total_sum });
    });

    it('are split by location and by hour', async () => {
      const { series } = await read(id, 'availability', { groupBy: 'runLocation', aggregationInterval: 60 });
      expect(series).toHaveLength(2);
      expect(series).toContainEqual({
        runLocation: 'eu-west-1',
        data: [{ timestamp: '2026-11-21T11:00:00.000Z', availability: 50 }],
      });
      expect(series).toContainEqual({
        runLocation: 'us-east-1',
        data: [{ timestamp: '2026-11-21T12:00:00.000Z', availability: 100 }],
      });
    });

    it('are null where there are no results, not zero', async () => {
      const to = Date.parse('2026-11-02T00:00:00Z') / 1000;
      const query = { from: to - 3600, to };
      expect(await rowOf(id, 'availability,total_avg', query)).toEqual({
        availability: null,
        total_avg: null,
      });
      expect((await read(id, 'availability', { ...query, groupBy: 'runLocation' })).series).toEqual([]);
    });
  });

  describe('metrics of single results', () => {
    let id: string;
    beforeAll(async () => {
      id = await newDns(RESULTS);
    });

    it('are aggregated in any interval', async () => {
      const { series } = await read(id, 'total_max', { aggregationInterval: 15 });
      expect(series[0]?.data).toEqual([
        { timestamp: '2026-11-21T11:00:00.000Z', total_max: 10 },
        { timestamp: '2026-11-21T11:30:00.000Z', total_max: 30 },
        { timestamp: '2026-11-21T12:00:00.000Z', total_max: 20 },
      ]);
    });

    it('have retries, the standard deviation and exact percentiles', async () => {
      expect(await rowOf(id, 'retries,total_stddev,total_median,total_p99,availability')).toEqual({
        ...{ retries: 2, total_stddev: 8.165, total_median: 20, total_p99: 30, availability: 66.6667 },
      });
    });

    it('can be limited to an outcome', async () => {
      const metrics = 'availability,total_avg';
      expect(await rowOf(id, metrics, { filterByStatus: ['failure'] })).toEqual({
        availability: 0,
        total_avg: 30,
      });
      expect(await rowOf(id, metrics, { filterByStatus: ['success'] })).toEqual({
        availability: 100,
        total_avg: 15,
      });
    });

    it('can be limited to an outcome of heartbeats', async () => {
      const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'seconds' } as const;
      const made = await call(service, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
      const beat = String(made.id);
      await storeResults(service, { id: beat, type: 'HEARTBEAT' }, RESULTS.slice(0, 3));
      const of = async (query: object) => {
        const request = { params: { id: beat }, query: { metrics: ['availability' as const], ...query } };
        return (await call(service, contract.getHeartbeatCheckAnalytics, request)).series[0]?.data[0];
      };
      expect(await of({})).toEqual({ availability: 66.6667 });
      expect(await of({ filterByStatus: ['failure'] })).toEqual({ availability: 0 });
      expect(await of({ filterByStatus: ['success'] })).toEqual({ availability: 100 });
    });

    it('are listed one by one, page by page, where a metric is not aggregated', async () => {
      const { series, pagination } = await read(id, 'total,availability', { limit: 2, page: 2 });
      expect(pagination).toEqual({ page: 2, limit: 2 });
      expect(series).toEqual([
        {
          data: [
            { startedAt: '2026-11-21T12:10:00.000Z', runLocation: 'us-east-1', total: 20, availability: 100 },
          ],
        },
      ]);
    });

    it('begin where older results were deleted, and the answer says so', async () => {
      const { from } = await read(id, 'retries', { quickRange: 'lastMonth' });
      expect(from).toBe('2026-11-11T12:30:00.000Z');
    });
  });

  it('values in the details are those of the check type', async () => {
    const at = '2026-11-21T12:00:00Z';
    const ping = { name: 'i', request: { hostname: 'example.com' }, ...off };
    const icmp = String((await call(service, contract.createIcmpCheck, { body: ping })).id);
    const lost = (packetLoss: number) => ({
      response: { packetLoss, latency: { min: 1, max: 9, stdDev: 2 } },
    });
    await storeResults(service, { id: icmp, type: 'ICMP' }, [
      { at, time: 4, details: lost(20) },
      { at, time: 6, details: lost(40) },
      { at, time: null, outcome: 'failed', details: { response: null } },
    ]);
    const icmpAnalytics = await call(service, contract.getIcmpCheckAnalytics, {
      params: { id: icmp },
      query: { metrics: ['packetLoss_avg', 'latencyAvg_avg', 'latencyMax_max', 'availability'] },
    });
    expect(icmpAnalytics.series[0]?.data).toEqual([
      { packetLoss_avg: 30, latencyAvg_avg: 5, latencyMax_max: 9, availability: 66.6667 },
    ]);
    const get = { name: 'u', request: { url: 'https://example.com' }, ...off };
    const url = String((await call(service, contract.createUrlCheck, { body: get })).id);
    const answered = (status: number, lookup: number) => ({
      response: { status },
      timing: { dns: lookup, connect: 3 },
    });
    await storeResults(service, { id: url, type: 'URL' }, [
      { at, details: answered(200, 5) },
      { at, details: answered(200, 7) },
      { at, outcome: 'failed', details: answered(503, 90) },
      { at, outcome: 'failed', time: null, details: { response: null } },
    ]);
    const byStatus = await call(service, contract.getUrlCheckAnalytics, {
      params: { id: url },
      query: { metrics: ['dns_avg', 'wait_avg'], groupBy: 'statusCode' },
    });
    expect(byStatus.series).toHaveLength(3);
    for (const [statusCode, dns_avg] of [
      [200, 6],
      [503, 90],
      [null, null],
    ] as const)
      expect(byStatus.series).toContainEqual({ statusCode, data: [{ dns_avg, wait_avg: null }] });
    const handshake = { name: 's', request: { sslConfig: { hostname: 'example.com' } }, ...off };
    const ssl = String((await call(service, contract.createSslCheck, { body: handshake })).id);
    const response = { tlsVersion: 'TLS1.3', chainTrusted: false, daysUntilExpiry: 12 };
    await storeResults(service, { id: ssl, type: 'SSL' }, [{ at, time: 8, details: { response } }]);
    const ofSsl = await call(service, contract.getSslCheckAnalytics, {
      params: { id: ssl },
      query: { metrics: ['tlsVersion', 'chainTrusted', 'daysUntilExpiry_avg', 'handshakeTimeMs_p50'] },
    });
    expect(ofSsl.series[0]?.data).toEqual([
      {
        ...{ startedAt: '2026-11-21T12:00:00.000Z', runLocation: 'eu-west-1', tlsVersion: 'TLS1.3' },
        ...{ chainTrusted: false, daysUntilExpiry_avg: 12, handshakeTimeMs_p50: 8 },
      },
    ]);
  });

  it('a summary has the fields of each check type, and leaves out what is not there', async () => {
    const own = { ...service, ...(await service.newAccount()) };
    const at = '2026-11-21T12:00:00Z';
    const { id } = await call(own, contract.createDnsCheck, { body: { ...dns, ...off } });
    await storeResults(own, { id: String(id), type: 'DNS' }, [
      { at, time: 8 },
      { at, outcome: 'failed', time: 8 },
    ]);
    const ping = { name: 'i', request: { hostname: 'example.com' }, ...off };
    const icmp = String((await call(own, contract.createIcmpCheck, { body: ping })).id);
    await storeResults(own, { id: icmp, type: 'ICMP' }, [
      { at, time: 5, details: { response: { packetLoss: 25 } } },
    ]);
    const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'seconds' } as const;
    const beat = String(
      (await call(own, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } })).id,
    );
    const foreign = await newDns([{ at }]);
    const checkIds = [String(id), icmp, beat, foreign];
    const summaries = await call(own, contract.summarizeChecks, {
      query: { quickRange: 'thisWeek' },
      body: { checkIds },
    });
    expect(summaries).toHaveLength(3);
    expect(summaries).toContainEqual({
      ...{ checkId: String(id), checkType: 'DNS', availability: 50, responseTime_avg: 8 },
      ...{ responseTime_p50: 8, responseTime_p95: 8, responseTime_p99: 8 },
    });
    expect(summaries).toContainEqual({
      ...{ checkId: icmp, checkType: 'ICMP', availability: 100, latency_avg: 5, latency_p50: 5 },
      ...{ latency_p95: 5, latency_p99: 5, packetLoss_avg: 25, packetLoss_p95: 25, packetLoss_p99: 25 },
    });
    expect(summaries).toContainEqual({ checkId: beat, checkType: 'HEARTBEAT', availability: null });
  });

  it('a report has every check that the filters let through, with its results in the range', async () => {
    const own = { ...service, ...(await service.newAccount()) };
    const make = async (fields: object) =>
      String((await call(own, contract.createDnsCheck, { body: { ...dns, ...fields } })).id);
    const busy = await make({ ...off, tags: ['x', 'y'], name: 'busy' });
    const idle = await make({ activated: true, tags: ['x'], name: 'idle', frequency: 1440 });
    await storeResults(own, { id: busy, type: 'DNS' }, [
      { at: '2026-11-21T10:00:00Z', time: 10 },
      { at: '2026-11-21T11:00:00Z', time: 30, outcome: 'failed' },
      { at: '2026-11-01T11:00:00Z', time: 500 },
    ]);
    const report = (query: object) => call(own, contract.getReport, { query });
    const ofBusy = { name: 'busy', checkId: busy, checkType: 'DNS', deactivated: true, tags: ['x', 'y'] };
    const ofIdle = { name: 'idle', checkId: idle, checkType: 'DNS', deactivated: false, tags: ['x'] };
    const [first, second] = await report({});
    expect([first, second]).toContainEqual(ofIdle);
    const shown = [first, second].find((one) => one?.checkId === busy);
    expect(shown).toMatchObject({ ...ofBusy, aggregate: { successRatio: 50, avg: 20 } });
    expect(Math.abs((shown?.aggregate?.p95 ?? 0) - 30)).toBeLessThan(0.5);
    const [month] = await report({ quickRange: 'thisMonth', filterByTags: ['x', 'y'] });
    expect(month).toMatchObject({ aggregate: { successRatio: 66.6667, avg: 180 } });
    expect(await report({ deactivated: false })).toEqual([ofIdle]);
  });

  it('a status is that of the last session, with the extremes of all results', async () => {
    const own = { ...service, ...(await service.newAccount()) };
    const { id } = await call(own, contract.createDnsCheck, { body: { ...dns, ...off, name: 'seen' } });
    const checkId = String(id);
    const { id: never } = await call(own, contract.createDnsCheck, { body: { ...dns, ...off } });
    await storeResults(own, { id: checkId, type: 'DNS' }, [
      { at: '2026-11-19T10:00:00Z', time: 7.5 },
      { at: '2026-11-21T10:00:00Z', time: 900, location: 'us-east-1', details: { tls: { daysLeft: 33 } } },
      { at: '2026-11-20T10:00:00Z', time: 5000, outcome: 'error' },
      { at: '2026-11-21T11:00:00Z', time: 1, isAttempt: true },
    ]);
    await rollUpHour(own, checkId, '2026-11-19T10:00:00Z');
    await own.store.checks.setStatus([checkId], 'failing');
    const status = {
      ...{ name: 'seen', checkId, hasFailures: true, hasErrors: false, isDegraded: false },
      ...{ longestRun: 900, shortestRun: 7.5, lastRunLocation: 'us-east-1' },
      ...{ lastCheckRunId: String(Date.parse('2026-11-21T10:00:00Z') / 1000), sslDaysRemaining: 33 },
      ...{ created_at: expect.any(String), updated_at: '2026-11-21T10:00:00.000Z' },
    };
    expect(await call(own, contract.listCheckStatuses, {})).toEqual([status]);
    expect(await call(own, contract.getCheckStatus, { params: { checkId } })).toEqual(status);
    expect(await ask(own, contract.getCheckStatus, { params: { checkId: String(never) } })).toMatchObject({
      status: 404,
      body: { message: `Result of check ${never} not found` },
    });
  });
});

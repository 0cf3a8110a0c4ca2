/** Requests for analytics: names of metrics, and rejected requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { createManualClock } from '../../../support/clock.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { storeResults } from './stored-results.ts';
import { dns, violations } from './support.ts';

const NOW = '2026-11-21T12:30:00Z';

describe('a request for analytics', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ clock: createManualClock(Date.parse(NOW)) });
  });
  afterAll(() => service.close());

  it('lists the metrics of a type with their units', async () => {
    const metrics = await call(service, contract.listMetrics, { query: { checkType: 'ICMP' } });
    expect(metrics).toContainEqual({
      ...{
        name: 'packetLoss_p95',
        unit: 'percentage',
        label: 'Packet loss',
        type: 'Float',
        aggregated: true,
      },
    });
    expect(metrics).toContainEqual(expect.objectContaining({ name: 'latencyAvg', aggregated: false }));
    expect(metrics.map(({ name }) => name)).not.toContain('responseTime');
  });

  it('is rejected for a check of another type, an unknown metric and a reversed range', async () => {
    const { id } = await call(service, contract.createDnsCheck, { body: { ...dns, activated: false } });
    const params = { id: String(id) };
    const query = { metrics: 'availability' };
    expect(await ask(service, contract.getUrlCheckAnalytics, { params, query })).toMatchObject({
      status: 404,
      body: { message: `URL check ${id} not found` },
    });
    const unknown = await ask(service, contract.getDnsCheckAnalytics, {
      params,
      query: { metrics: 'total,LCP' },
    });
    expect([unknown.status, violations(unknown.body)[0]?.path]).toEqual([400, 'metrics[1]']);
    const reversed = await ask(service, contract.getDnsCheckAnalytics, {
      params,
      query: { ...query, from: 10, to: 5 },
    });
    expect(reversed).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('before from') },
    });
  });

  it('is rejected if it would read the details of more than 10,000 results', async () => {
    const get = { name: 'u', request: { url: 'https://example.com' }, activated: false };
    const { id } = await call(service, contract.createUrlCheck, { body: get });
    const params = { id: String(id) };
    const results = Array.from({ length: 10_000 }, () => ({ at: '2026-11-21T12:00:00Z' }));
    await storeResults(service, { id: params.id, type: 'URL' }, results);
    const asked = (metrics: string) =>
      ask(service, contract.getUrlCheckAnalytics, { params, query: { metrics } });
    expect((await asked('dns_avg')).status).toBe(200);
    await storeResults(service, { id: params.id, type: 'URL' }, [{ at: '2026-11-21T12:01:00Z' }]);
    expect(await asked('dns_avg')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('choose a shorter range') },
    });
    expect((await asked('retries')).status).toBe(200);
  });
});

/** Traces of runs through the whole service and an agent: to a collector that validates them, and to the targets. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import * as contract from '../../src/contract/index.ts';
import { createApiRunner } from '../../src/runners/api/runner.ts';
import { run as runUrlCheck } from '../../src/runners/http/url-runner.ts';
import { readTracingSettings } from '../../src/worker/tracing/settings.ts';
import { createTracing } from '../../src/worker/tracing/tracing.ts';
import { agentAt, going } from '../agent/support.ts';
import { byHand } from '../support/by-hand.ts';
import { call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveWith } from '../support/http.ts';
import { startTestService } from '../support/service.ts';
import { startCollector } from '../worker/tracing/collector.ts';
import { createPlace, startSession } from './agents/support.ts';

/** Traces to a collector, without waiting for a batch. */
function tracingTo(url: string, name: string) {
  const settings = readTracingSettings(
    { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1', OTEL_SERVICE_NAME: name },
    'sonde',
  );
  const failed: unknown[] = [];
  const tracing = createTracing(settings, systemClock, (...problem) => void failed.push(problem));
  if (tracing === undefined) throw new Error('no tracing');
  onTestFinished(async () => {
    await tracing.stop();
    expect(failed).toEqual([]);
  });
  return tracing;
}

async function tracedService(url: string) {
  const tracing = tracingTo(url, 'monitoring');
  const at = await startTestService({
    engine: { tracing, runners: { URL: runUrlCheck, API: createApiRunner() } },
  });
  onTestFinished(() => at.close());
  const run = async (id: string) => {
    const checkSessionId = await startSession(at, id);
    await call(at, contract.awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
    return checkSessionId;
  };
  return { at, run };
}

const standard = () => ({ retryStrategy: null, ...byHand() });

it('has a trace for a session: its attempts, their phases, and the header that the target saw', async () => {
  const collector = await startCollector();
  const other = await serveWith((_, response) => answer(response, { body: 'there' }));
  const target = await serveWith(({ url }, response) =>
    url === '/moved'
      ? answer(response, { status: 302, headers: { location: other.url } })
      : answer(response, { status: url === '/fail' ? 500 : 200 }),
  );
  const { at, run } = await tracedService(collector.url);
  const create = (path: string, fields: object) =>
    call(at, contract.createUrlCheck, {
      body: { name: path, request: { url: `${target.url}${path}` }, ...standard(), ...fields } as never,
    });
  const good = await create('/', { sendTraceparent: true });
  const session = await run(String(good.id));
  const traceId = session.replaceAll('-', '');
  await eventually(() => expect(collector.spans.some(({ name }) => name === 'session URL')).toBe(true));
  const root = collector.spans.find(({ name }) => name === 'session URL');
  const attempt = collector.spans.find(({ name }) => name === 'GET');
  expect(root).toMatchObject({
    ...{ traceId, parentSpanId: undefined, kind: 1, status: {} },
    resource: { 'service.name': 'monitoring' },
    attributes: { 'sonde.check.id': good.id, 'sonde.check.name': '/', 'sonde.session.status': 'PASSED' },
  });
  expect(attempt).toMatchObject({
    ...{ traceId, parentSpanId: root?.spanId, kind: 3, status: {} },
    attributes: {
      ...{ 'http.request.method': 'GET', 'url.full': `${target.url}/`, 'http.response.status_code': 200 },
      ...{ 'server.address': '127.0.0.1', 'server.port': target.port, 'network.peer.port': target.port },
      'sonde.result.status': 'passed',
    },
  });
  const phases = collector.spans.filter(({ parentSpanId }) => parentSpanId === attempt?.spanId);
  expect(phases.map(({ name }) => name)).toEqual(['connect', 'firstByte', 'download']);
  expect(phases[0]?.from).toBe(attempt?.from);
  expect(phases[1]?.from).toBe(phases[0]?.to);
  expect(target.requests[0]?.headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`);

  await run(String((await create('/moved', { sendTraceparent: true })).id));
  expect(target.requests[1]?.headers).toHaveProperty('traceparent');
  expect(other.requests[0]?.headers).not.toHaveProperty('traceparent');
  await run(String((await create('/fail', {})).id));
  expect(target.requests[2]?.headers).not.toHaveProperty('traceparent');
  await eventually(() => expect(collector.spans.filter(({ status }) => status.code === 2)).toHaveLength(2));
  const failed = collector.spans.find(({ attributes }) => attributes['sonde.result.status'] === 'failed');
  expect(failed?.attributes).toMatchObject({ 'error.type': '500', 'http.response.status_code': 500 });
  expect(failed?.status.message).toContain('answered 500');
  expect(collector.problems).toEqual([]);
});

it('shows no secret in a span', async () => {
  const collector = await startCollector();
  const target = await serveWith((_, response) => answer(response, { status: 403 }));
  const { at, run } = await tracedService(collector.url);
  const { id } = await call(at, contract.createApiCheck, {
    body: {
      ...{
        name: 'orders',
        ...standard(),
        environmentVariables: [{ key: 'TOKEN', value: 's3cr3t-token', secret: true }],
      },
      request: { url: `${target.url}/orders?token={{TOKEN}}` },
    } as never,
  });
  await run(String(id));
  expect(target.requests[0]?.url).toBe('/orders?token=s3cr3t-token');
  await eventually(() => expect(collector.spans.some(({ name }) => name === 'session API')).toBe(true));
  const bodies = collector.requests.map(({ body }) => body).join();
  expect(bodies).toContain('/orders?token=***');
  expect(bodies).not.toContain('s3cr3t-token');
});

it('has the attempts of an agent that exports them, in the trace of the service', async () => {
  const collector = await startCollector();
  const target = await serveWith((_, response) => answer(response, {}));
  const { at, run } = await tracedService(collector.url);
  const place = await createPlace(at, 'office');
  const { recordAttempt } = tracingTo(collector.url, 'agent');
  const options = { runners: { URL: runUrlCheck }, onAttempt: recordAttempt };
  const agent = agentAt(place, { spoolFolder: await temporaryFolder(), ...options });
  await agent.start(going);
  onTestFinished(() => agent.stop().then(() => {}));
  const { id } = await call(at, contract.createUrlCheck, {
    body: {
      ...{ name: 'inside', request: { url: target.url }, ...standard(), sendTraceparent: true },
      ...{ locations: [], privateLocations: [place.slug] },
    } as never,
  });
  const traceId = (await run(String(id))).replaceAll('-', '');
  await eventually(() => expect(collector.spans.some(({ name }) => name === 'session URL')).toBe(true));
  const attempt = collector.spans.find(({ name }) => name === 'GET');
  const root = collector.spans.find(({ name }) => name === 'session URL');
  expect(attempt).toMatchObject({
    ...{ traceId, parentSpanId: root?.spanId, resource: { 'service.name': 'agent' } },
    attributes: { 'sonde.location': 'office', 'sonde.check.name': 'inside' },
  });
  expect(target.requests[0]?.headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`);
});

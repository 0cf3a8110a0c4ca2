/** The exporter of spans: the standard variables, batches, a bounded queue, and collectors that fail. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSpanExporter } from '../../../src/worker/tracing/exporter.ts';
import { readTracingSettings, type TracingSettings } from '../../../src/worker/tracing/settings.ts';
import type { Span } from '../../../src/worker/tracing/spans.ts';
import { createManualClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startCollector } from './collector.ts';

const span = (number: number): Span => ({
  ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: (number + 1).toString(16).padStart(16, '0') },
  ...{ name: 'GET', kind: 3, startMs: 1_764_000_000_000.25, endMs: 1_764_000_000_001.5 },
  attributes: { 'http.request.method': 'GET', 'server.port': 443, ratio: 0.5, none: undefined },
});

function exporterTo(url: string, changes: Partial<TracingSettings> = {}) {
  const clock = createManualClock();
  const reported: string[] = [];
  const settings = readTracingSettings(
    { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b' },
    'sonde',
  );
  if (settings === undefined) throw new Error('no settings');
  const exporter = createSpanExporter({
    ...{ clock, settings: { ...settings, ...changes } },
    onError: (message, error) => void reported.push(`${message}: ${error}`),
  });
  onTestFinished(() => clock.run(exporter.stop()));
  return { clock, reported, ...exporter };
}

describe('the variables', () => {
  const read = (env: Record<string, string>) => readTracingSettings(env, 'sonde');
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

  it('name the collector, its headers and the resource', () => {
    expect(read({})).toBeUndefined();
    expect(read(endpoint)).toMatchObject({
      url: 'http://collector:4318/v1/traces',
      resource: { 'service.name': 'sonde' },
    });
    const all = read({
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20eA==, x=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=2',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=other',
      OTEL_SERVICE_NAME: 'monitoring',
      OTEL_BSP_MAX_QUEUE_SIZE: '7',
    });
    expect(all).toMatchObject({
      url: 'https://traces.example.com/otlp',
      headers: { authorization: 'Basic eA==', x: '2' },
      resource: { 'deployment.environment.name': 'prod', 'service.name': 'monitoring' },
      maxQueueSize: 7,
    });
  });

  it('turn traces off, and refuse an endpoint that is no URL', () => {
    expect(read({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  });

  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://sonde:hunter2@localhost:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT contains',
    ],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter2%0Ax' }, 'the header "api-key" is not valid'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a b=hunter2' }, 'the header "a b" is not valid'],
  ])('refuse credentials that every request would fail with, without showing them', (env, message) => {
    let problem: unknown;
    try {
      read(env as unknown as Record<string, string>);
    } catch (error) {
      problem = error;
    }
    expect(String(problem)).toContain(message);
    expect(`${problem} ${JSON.stringify(problem)}`).not.toContain('hunter2');
  });

  it('refuse gRPC, which would reach no collector', () => {
    const grpc = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    expect(() => read(grpc)).toThrow('OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported');
    expect(read({ ...grpc, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' })).toBeDefined();
  });
});

describe('the exporter', () => {
  it('sends a batch after a while, and what is left when it stops', async () => {
    const collector = await startCollector();
    const { clock, ...exporter } = exporterTo(collector.url);
    exporter.add([span(1), span(2)]);
    await clock.advance(4999);
    expect(collector.requests).toEqual([]);
    await clock.advance(1);
    await eventually(() => expect(collector.spans).toHaveLength(2));
    expect(collector.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/traces',
      headers: { 'api-key': 'a b' },
    });
    expect(collector.spans[0]).toMatchObject({
      ...{ name: 'GET', kind: 3, from: 1_764_000_000_000_250_000n, to: 1_764_000_000_001_500_000n },
      attributes: { 'http.request.method': 'GET', 'server.port': 443, ratio: 0.5 },
    });
    exporter.add([span(3)]);
    await clock.run(exporter.stop());
    expect(collector.spans).toHaveLength(3);
    expect({ problems: collector.problems, reported: exporter.reported }).toEqual({
      problems: [],
      reported: [],
    });
  });

  it('repeats a batch that the collector cannot take now, and drops one that it refuses', async () => {
    const statuses = [503, 429, 200, 400, 200];
    const bodies: string[] = [];
    const collector = await startCollector((request, response) => {
      bodies.push(request.body);
      response.writeHead(statuses.shift() ?? 200).end();
    });
    const { clock, add, reported } = exporterTo(collector.url, { batchSize: 1 });
    add([span(1)]);
    await clock.run(eventually(() => expect(bodies).toHaveLength(3)));
    expect(new Set(bodies).size).toBe(1);
    add([span(2)]);
    await eventually(() => expect(reported).toEqual([expect.stringContaining('answered 400')]));
    add([span(3)]);
    await eventually(() => expect(bodies).toHaveLength(5));
  });

  it('keeps a bounded queue while a collector hangs, and holds up nobody', async () => {
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    const collector = await startCollector((_, response) => void hanging.then(() => response.end('{}')));
    const { clock, add, reported } = exporterTo(collector.url, { batchSize: 10, maxQueueSize: 20 });
    for (let number = 0; number < 1000; number++) add([span(number)]);
    await eventually(() => expect(collector.requests).toHaveLength(1));
    release();
    await clock.run(eventually(() => expect(collector.requests).toHaveLength(3)));
    await eventually(() => expect(reported).toEqual([expect.stringMatching(/^dropped 970 spans/)]));
  });

  it('gives up after a few repetitions without a collector, and stops quickly', async () => {
    const { clock, add, reported, stop } = exporterTo('http://127.0.0.1:9', { batchSize: 1 });
    add([span(1)]);
    await clock.run(
      eventually(() => expect(reported).toEqual([expect.stringContaining('cannot export 1 spans')])),
    );
    add([span(2)]);
    await clock.run(stop());
  });
});

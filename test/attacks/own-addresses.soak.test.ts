/** What checks and webhooks learn from the service that runs them: nothing, because they cannot contact it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

let service: E2eService;
afterEach(async () => {
  expect(await service.close()).toBe(0);
});

const WHY = /belongs to this service, and checks and webhooks must not contact the service itself/;

interface Result {
  readonly hasErrors: boolean;
  readonly hasFailures: boolean;
  readonly errors: readonly string[];
}

/** Runs a check once and returns its result. */
async function run(type: string, body: object): Promise<Result> {
  const { id } = await service.make<{ id: string }>(`POST /v1/checks/${type}`, {
    ...{ name: 'itself', retryStrategy: null, doubleCheck: false, ...byHand(), ...body },
  });
  const { sessions } = await service.make<{ sessions: { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [id] } },
  );
  await service.api(`GET /v2/check-sessions/${sessions[0]?.checkSessionId}/completion?maxWaitSeconds=30`);
  const { entries } = await service.make<{ entries: Result[] }>(`GET /v2/check-results/${id}?limit=1`);
  const [result] = entries;
  if (result === undefined) throw new Error('the check has no result');
  return result;
}

/** Every check that contacts a host and a port, at a host of the service. */
const checksOf = (host: string, port: number, isName = false): readonly (readonly [string, object])[] => {
  const bare = host.replace(/^\[|\]$/g, '');
  const dns = { heartbeat: {}, script: '' };
  return [
    ['url', { request: { url: `http://${host}:${port}/metrics` } }],
    ['api', { request: { url: `http://${host}:${port}/v1/checks`, method: 'GET' } }],
    ['tcp', { request: { hostname: bare, port, data: 'GET /metrics HTTP/1.0\r\n\r\n' } }],
    ['ssl', { request: { sslConfig: { hostname: bare, port } } }],
    ...(isName
      ? []
      : ([
          [
            'dns',
            {
              ...dns,
              request: { query: 'a.example', nameServer: bare, port, protocol: 'TCP', assertions: [] },
            },
          ],
        ] as const)),
  ];
};

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ address, family }) => family === 'IPv4' && address !== '127.0.0.1')
    .map(({ address }) => address)
    .slice(0, 2);

const count = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${service.key}` };
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
  return [...text.matchAll(/^sonde_http_requests_total\{[^}]*status="401"\} (\d+)$/gm)].reduce(
    (sum, [, each]) => sum + Number(each),
    0,
  );
};

it('no check reaches the service, at any of its addresses, also after a redirect', async () => {
  service = await startE2eService('--metrics-listen', '127.0.0.1:0');
  const own = Number(new URL(service.url).port);
  const metrics = Number(/Metrics without a key: http:\/\/127\.0\.0\.1:(\d+)/.exec(service.log())?.[1]);
  const before = await count();
  for (const port of [own, metrics])
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]'])
      for (const [type, body] of checksOf(host, port, host === 'localhost')) {
        const { hasErrors, hasFailures, errors } = await run(type, body);
        expect([type, host, port, hasErrors, hasFailures]).toEqual([type, host, port, true, false]);
        expect(errors[0], `${type} ${host}`).toMatch(WHY);
      }
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${metrics}/metrics` }).end();
  });
  await once(redirecting.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void redirecting.close());
  const { port } = redirecting.address() as AddressInfo;
  for (const type of ['url', 'api'])
    expect(
      (await run(type, { request: { url: `http://127.0.0.1:${port}/`, method: 'GET' } })).errors[0],
    ).toMatch(WHY);
  expect(await count()).toBe(before);
});

it('no webhook reaches it either', async () => {
  service = await startE2eService();
  const { id } = await service.make<{ id: number }>('POST /v1/alert-channels', {
    ...{ type: 'WEBHOOK', config: { name: 'itself', url: `${service.url}/ping/a`, method: 'POST' } },
  });
  const { body } = await service.api(`POST /v1/alert-channels/${id}/test`, {});
  expect(JSON.stringify(body)).toMatch(WHY);
});

it('other ports of the same machine are reached, and the service with the flag', async () => {
  service = await startE2eService('--allow-own-address');
  expect(await run('url', { request: { url: `${service.url}/health` } })).toMatchObject({ errors: [] });
  expect(await service.close()).toBe(0);
  service = await startE2eService();
  const other = createServer((_, response) => void response.end('other'));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect(await run('url', { request: { url: `http://127.0.0.1:${port}/` } })).toMatchObject({ errors: [] });
});

it('a service on all addresses denies each of them, its ports or not, with private networks denied', async () => {
  service = await startE2eService('--listen', '0.0.0.0:0', '--allow-private-networks');
  const own = Number(new URL(service.url).port);
  for (const host of ['127.0.0.1', '127.9.9.9', ...ownAddresses()])
    expect((await run('tcp', { request: { hostname: host, port: own } })).errors[0], host).toMatch(WHY);
});

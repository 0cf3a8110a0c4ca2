/** An address with a slash at its end leads where it leads without one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { send } from '../../../support/send.ts';
import { heartbeat } from '../../engine/heartbeats/support.ts';
import { paramsOf } from '../api/any-request.ts';
import { makeDashboard } from '../pages/dashboards-world.ts';
import { get, makePage, startWorld, type World } from '../pages/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ documents: { '/openapi.json': async () => ({ openapi: '3.1.0' }) } });
  await makePage(world, 'shop', [], { customDomain: 'status.example.com' });
  await makeDashboard(world, 'board');
});
afterAll(() => world.close());

const PAGES = [
  '/health',
  '/ready',
  '/openapi.json',
  '/metrics',
  '/board',
  '/dashboards/board',
  '/status/shop',
  '/status/shop/status.json',
  '/status/shop/feed.atom',
  '/status/shop/subscribe',
];

it.each(PAGES)('%s', async (path) => {
  for (const method of ['GET', 'HEAD']) {
    const headers = path === '/metrics' ? { authorization: `Bearer ${world.apiKey}` } : {};
    const ask = (at: string) => fetch(world.url + at, { method, redirect: 'manual', headers });
    const [plain, slashed, withQuery] = [
      await ask(path),
      await ask(`${path}/`),
      await ask(`${path}/?tz=UTC`),
    ];
    expect(plain.status).toBeLessThan(400);
    expect([slashed.status, withQuery.status]).toEqual([plain.status, plain.status]);
    expect(slashed.headers.get('content-type')).toBe(plain.headers.get('content-type'));
  }
});

it('every form of ping, and each counts', async () => {
  const { id = '', heartbeat: made } = await call(world, contract.createHeartbeatCheck, {
    body: { name: 'backup', heartbeat },
  });
  const lastPing = async () => {
    const check = await call(world, contract.getCheck, { params: { id } });
    return (check as contract.ResponseOf<typeof contract.createHeartbeatCheck>).heartbeat?.lastPingAt;
  };
  let before = await lastPing();
  for (const base of [`/ping/${made?.pingToken}`, `/api/push/${made?.pingToken}`]) {
    for (const [method, end] of [
      ['GET', '/'],
      ['HEAD', '/'],
      ['POST', '/'],
      ['GET', '/?msg=done'],
    ] as const) {
      world.step(60_000);
      expect((await fetch(world.url + base + end, { method })).status).toBe(200);
      const after = await lastPing();
      expect(after).not.toBe(before);
      before = after;
    }
  }
  for (const signal of ['start', 'fail', '0'])
    expect((await get(world, `/ping/${made?.pingToken}/${signal}/`)).status).toBe(200);
});

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const reading = endpoints.filter(({ method, caller }) => method === 'GET' && caller === undefined);
it.each(reading.map((endpoint) => [endpoint.name, endpoint] as const))('%s', async (_, endpoint) => {
  const params = paramsOf(endpoint) as Readonly<Record<string, unknown>>;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (__, name: string) => String(params[name]));
  const plain = await send(world, `GET ${path}`);
  expect(await send(world, `GET ${path}/`)).toMatchObject({ status: plain.status, body: plain.body });
});

it('keys, methods and bodies as without one', async () => {
  expect((await fetch(`${world.url}/v1/checks/`)).status).toBe(401);
  const refused = await send(world, 'DELETE /v1/checks/');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST']);
  expect(await send(world, 'POST /v1/snippets/', { name: 's', script: '' })).toMatchObject({ status: 201 });
  expect((await send(world, 'GET /nowhere/')).status).toBe(404);
});

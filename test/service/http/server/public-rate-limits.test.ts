/** Checks the rate limit of an address without a key, and that other clients are not affected. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { dns } from '../api/support.ts';

const RATE = { requests: 3, windowSeconds: 60 };

let service: TestService;
beforeAll(async () => {
  const standard = { requests: 30, windowSeconds: 60 };
  service = await startTestService({
    documents: { '/openapi.json': async () => ({}) },
    adminSecret: 'secret',
    limits: { publicRate: RATE, rates: { standard, 'deprecated-listing': standard, agent: standard } },
  });
});
afterAll(() => service.close());

const get = (url: string, remoteAddress: string) => service.service.app.inject({ url, remoteAddress });

it('refuses an address that asks too often, whatever it asks for', async () => {
  for (const path of ['/health', '/openapi.json', '/status/none'])
    expect((await get(path, '192.0.2.1')).statusCode).not.toBe(429);
  for (const path of ['/health', '/status/none', '/', '/checks/a/trigger/b', '/check-sessions/a/b']) {
    const answer = await get(path, '::ffff:192.0.2.1');
    expect([path, answer.statusCode]).toEqual([path, 429]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect((await get('/health', '192.0.2.2')).statusCode).toBe(200);
});

it('counts the addresses of one IPv6 network as one', async () => {
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::'])
    expect((await get('/health', address)).statusCode).toBe(200);
  expect((await get('/health', '2001:db8::3')).statusCode).toBe(429);
  expect((await get('/health', '2001:db8:0:1::3')).statusCode).toBe(200);
});

it('counts nobody who comes through this machine: it may be a proxy', async () => {
  for (let asked = 0; asked < 5; asked++) expect((await get('/health', '127.0.0.1')).statusCode).toBe(200);
});

it('takes the pings of a heartbeat whose address asked too often for other things', async () => {
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' } as const;
  const check = await call(service, contract.createHeartbeatCheck, { body: { name: 'h', heartbeat } });
  const { pathname } = new URL((check as { heartbeat: { pingUrl: string } }).heartbeat.pingUrl);
  for (let asked = 0; asked < 5; asked++) await get('/health', '192.0.2.4');
  for (let asked = 0; asked < 40; asked++) await get('/ping/a-guess', '192.0.2.4');
  expect((await get('/ping/a-guess', '192.0.2.4')).statusCode).toBe(429);
  expect((await get(pathname, '192.0.2.4')).statusCode).toBe(200);
});

it('refuses an address that guesses triggers, and calls those that others know', async () => {
  const checkId = String((await call(service, contract.createDnsCheck, { body: dns })).id);
  const { token } = await call(service, contract.createCheckTrigger, { params: { checkId } });
  const ask = (path: string) => get(path, '127.0.0.1');
  for (let asked = 0; asked < 30; asked++)
    expect((await ask(`/checks/${checkId}/trigger/guess${asked}`)).statusCode).toBe(404);
  const refused = await ask('/check-groups/1/trigger/guess');
  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(`/checks/${checkId}/trigger/${token}`)).statusCode).toBe(200);
});

it('reads no body of somebody who does not own the data folder', async () => {
  const socket = connect(service.port, '127.0.0.1');
  socket.write(
    'POST /local/backup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n',
  );
  const [said] = (await once(socket, 'data')) as [Buffer];
  expect(said.toString()).toMatch(/^HTTP\/1.1 404/);
  socket.destroy();
});

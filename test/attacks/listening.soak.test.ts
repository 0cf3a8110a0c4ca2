/** A service that other machines reach: what it tells strangers, what its checks and webhooks reach, whom it believes. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sonde } from '../support/binary.ts';
import { byHand } from '../support/by-hand.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';

let service: E2eService;
let port = 0;
let connections = 0;
/** What nobody outside of this machine may reach through the service. */
const inner = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

beforeAll(async () => {
  inner.listen(0, '0.0.0.0');
  await once(inner, 'listening');
  const address = inner.address();
  port = typeof address === 'object' && address ? address.port : 0;
  service = await startE2eService('--listen', '0.0.0.0:0', '--log-level', 'info');
});
afterAll(async () => {
  await service.close();
  inner.close();
});

const ADDRESSES = [
  ...['127.0.0.1', 'localhost', '0.0.0.0', '127.1', '2130706433', '0x7f000001', '[::1]', '[::]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
  ],
  ...['169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '100.64.0.1', '172.16.0.1', '192.168.0.1'],
];

interface Result {
  readonly hasErrors: boolean;
  readonly errors: readonly string[];
}

/** Runs a check once and gives its result. */
async function run(type: string, body: object): Promise<Result> {
  const { id } = await service.make<{ id: string }>(`POST /v1/checks/${type}`, {
    ...{ name: 'inner', retryStrategy: null, doubleCheck: false, ...byHand(), ...body },
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

it('says at its start that keys travel in the open, and that private networks are denied', async () => {
  await eventually(() =>
    expect(service.log()).toContain('Other machines can reach this service over plain HTTP'),
  );
  await eventually(() => expect(service.log()).toContain('Private networks are denied'));
  await eventually(() => expect(service.log()).toContain('--allow-private-networks'));
});

it('lets no URL check reach this machine or a private network, however the address is written', async () => {
  for (const host of ADDRESSES) {
    const { hasErrors, errors } = await run('url', { request: { url: `http://${host}:${port}/` } });
    expect(hasErrors, host).toBe(true);
    expect(errors[0], host).toMatch(/is not allowed to contact|is not a public address/);
  }
  expect(connections).toBe(0);
});

it('lets no TCP, ICMP or DNS check reach them either', async () => {
  const results = [
    await run('tcp', { request: { hostname: '127.0.0.1', port } }),
    await run('icmp', { request: { hostname: '127.0.0.1' } }),
    await run('dns', {
      request: { query: 'a.example', nameServer: '127.0.0.1', port },
      heartbeat: {},
      script: '',
    }),
  ];
  for (const { errors } of results)
    expect(errors[0]).toMatch(/is not allowed to contact|is not a public address/);
  expect(connections).toBe(0);
});

it('sends no webhook of an alert channel to them', async () => {
  const { id } = await service.make<{ id: number }>('POST /v1/alert-channels', {
    ...{ type: 'WEBHOOK', config: { name: 'inner', url: `http://127.0.0.1:${port}/`, method: 'POST' } },
  });
  const answer = await service.api(`POST /v1/alert-channels/${id}/test`, {});
  expect(JSON.stringify(answer.body)).toContain('is not a public address');
  expect(connections).toBe(0);
});

it('tells strangers only that it is up, and its owner and holders of a key everything', async () => {
  const told = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/health`, { headers });
    return { status: answer.status, body: (await answer.json()) as unknown };
  };
  expect(await told()).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await told({ 'x-sonde-door': 'guess' })).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await told({ authorization: 'Bearer sk_guess' })).status).toBe(401);
  expect((await told({ authorization: `Bearer ${service.key}` })).body).toMatchObject({
    ...{ status: 'ok', deniesPrivateNetworks: true, trustedProxies: [], isPlainHttp: true },
    ...{ pid: service.pid(), version: expect.any(String) },
  });
  expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
  const { stdout, stderr } = await sonde(['service', 'status', '--data', service.data], { env: service.env });
  expect(stdout).toMatch(/^privateNetworks\tdenied$/m);
  expect(stdout).toMatch(/^trustedProxies\tnone$/m);
  expect(stdout).toContain(`${service.pid()}`);
  expect(stderr).toContain('over plain HTTP');
});

it('believes nobody who claims to speak for another', async () => {
  await fetch(`${service.url}/status/nobody`, { headers: { 'x-forwarded-for': '198.51.100.7' } });
  await eventually(() => expect(service.log()).toContain('"route":"/status/:slug"'));
  expect(service.log()).not.toContain('198.51.100.7');
});

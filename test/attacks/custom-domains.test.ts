/** An account that claims the domain of another one, and strangers who look for other pages under a custom domain. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { type LoopbackNameServer, startLoopbackNameServer } from '../../src/runners/dns/loopback-server.ts';
import { createCapability } from '../../src/service/engine/sessions/capability.ts';
import { makeDashboard } from '../service/http/pages/dashboards-world.ts';
import { makePage, startWorld, type World } from '../service/http/pages/world.ts';
import { ask, call } from '../support/call.ts';

const DOMAIN = 'status.victim.example';
const BOARD_DOMAIN = 'board.victim.example';
const TOKEN_OF = { customDomain: DOMAIN };

let victim: World;
let attacker: World;
let nameServer: LoopbackNameServer;

/** Returns the record that the service asks an account to create. */
async function recordOf(of: World): Promise<string> {
  const page = await makePage(of, `record-${of.accountId}`, [], TOKEN_OF);
  await call(of, contract.deleteStatusPage, { params: { statusPageId: page.id } });
  return page.customDomainChallenge?.recordValue ?? '';
}

beforeAll(async () => {
  victim = await startWorld({
    publicUrl: 'https://monitoring.example.com',
    trustCustomDomains: false,
    engine: {
      resolvers: () => (nameServer === undefined ? [] : [`127.0.0.1:${nameServer.port}`]),
      denyAddress: (address) => `${address} is denied`,
    },
  });
  attacker = { ...victim, ...(await victim.newAccount()) };
  const record = { type: 'TXT' as const, data: await recordOf(victim) };
  nameServer = await startLoopbackNameServer({
    records: Object.fromEntries(
      [DOMAIN, BOARD_DOMAIN].map((domain) => [`_sonde-challenge.${domain}`, [record]]),
    ),
  });
});
afterAll(async () => {
  await victim.close();
  await nameServer.close();
});

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT';
const at = (host: string, url: string, method: Method = 'GET') =>
  victim.service.app.inject({ method, url, headers: { host, accept: 'text/html' } });

const claim = (url: string, customDomain: string) =>
  ask(attacker, contract.createStatusPage, { body: { name: 'Attack', url, cards: [], customDomain } });

it('a claim before the owner neither serves the page nor keeps the owner out, and one after is refused', async () => {
  for (const domain of [DOMAIN, BOARD_DOMAIN]) {
    const early = await claim(`early-${domain}`, domain);
    expect(early.body).toMatchObject({ customDomainStatus: 'UNVERIFIED' });
    expect((await at(domain, '/')).body).not.toContain('Attack');
  }
  const page = await makePage(victim, 'victim', [], { name: 'Victim', customDomain: DOMAIN });
  expect(page).toMatchObject({ customDomainStatus: 'VERIFIED' });
  const board = await makeDashboard(victim, 'victim', { header: 'Victim', customDomain: BOARD_DOMAIN });
  expect(board).toMatchObject({ customDomainStatus: 'VERIFIED' });
  const { entries } = await call(attacker, contract.listStatusPages, { query: { limit: 100 } });
  for (const { id, url, customDomain } of entries) {
    const params = { statusPageId: id };
    expect((await ask(attacker, contract.verifyStatusPageDomain, { params })).status).toBe(409);
    const body = { name: 'Attack', url, cards: [], customDomain: customDomain?.toUpperCase() };
    expect((await ask(attacker, contract.updateStatusPage, { params, body })).status).toBe(409);
  }
  expect((await claim('late', DOMAIN.toUpperCase())).status).toBe(409);
  const late = await ask(attacker, contract.createDashboard, { body: { customDomain: DOMAIN } });
  expect(late.status).toBe(409);
  for (const [domain, host] of [
    [DOMAIN, DOMAIN],
    [DOMAIN, `${DOMAIN}.`],
    [DOMAIN, `${DOMAIN.toUpperCase()}:8443`],
    [BOARD_DOMAIN, BOARD_DOMAIN],
  ] as const) {
    const { body } = await at(host, '/');
    expect([domain, body.includes('Victim'), body.includes('Attack')]).toEqual([domain, true, false]);
  }
});

it('a custom domain serves no other page, of whichever account, and no sign-in', async () => {
  const page = await makePage(attacker, 'attack', [], { name: 'Attack' });
  const { dashboardId } = await makeDashboard(attacker, 'attack-board', { header: 'Attack' });
  const paths = [
    ...[
      '/status/attack',
      '/status/attack/status.json',
      '/status/attack/feed.atom',
      '/status/attack/subscribe',
    ],
    ...[
      '/status/victim',
      '/dashboards/attack-board',
      `/dashboards/${dashboardId}`,
      '/attack-board',
      '/victim',
    ],
    ...['/sign-in/token', '/sign-in', '/checks/1', `/incidents/${page.id}`, '/check-sessions/1/key'],
    ...['/check-sessions/1/results/1/key', '/test-sessions/1/key', '/badges/checks/1/key/status.svg'],
    ...['/v1/badges/checks/1'],
  ];
  for (const host of [DOMAIN, `${DOMAIN}.`, `${DOMAIN}:443`, BOARD_DOMAIN])
    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST'] as const) {
        const { statusCode, body } = await at(host, path, method);
        expect([host, method, path, statusCode, body.includes('Attack')]).toEqual([
          ...[host, method, path, statusCode === 405 ? 405 : 404, false],
        ]);
      }
  // The same paths lead somewhere under the address of the service.
  expect((await at('monitoring.example.com', '/status/attack')).body).toContain('Attack');
  expect((await at('monitoring.example.com', '/attack-board')).statusCode).toBe(302);
});

it('a link of a subscriber of another page shows nothing of that page', async () => {
  const { id } = await makePage(attacker, 'letters', [], { name: 'Attack letters' });
  const asked = await victim.store.subscribers.requestSubscription(id, 'EMAIL', 'a@example.com');
  const subscriberId = asked?.subscriber.id ?? '';
  const key = createCapability(await victim.store.settings.linkSecret(), 'unsubscribe', subscriberId);
  for (const path of [`/confirm/${asked?.token}`, `/unsubscribe/${subscriberId}/${key}`]) {
    expect((await at('monitoring.example.com', path)).body).toContain('Attack letters');
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode, body } = await at(DOMAIN, path, method);
      expect([statusCode, body.includes('Attack letters')]).toEqual([404, false]);
    }
  }
});

it('the service serves no file of a proof, under whichever host, path or method', async () => {
  for (const slug of ['.well-known', 'sonde-challenge'])
    await ask(attacker, contract.createDashboard, { body: { customUrl: slug, header: 'Attack' } });
  for (const host of [DOMAIN, 'unknown.example', 'monitoring.example.com', '127.0.0.1'])
    for (const path of [
      '/.well-known/sonde-challenge',
      '/.well-known/sonde-challenge/',
      '//.well-known/sonde-challenge',
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'PUT'] as const)
        expect([host, path, method, (await at(host, path, method)).statusCode]).toEqual([
          host,
          path,
          method,
          404,
        ]);
});

/** Who a request comes from: the peer, or the client that a trusted proxy names. */
import fastify from 'fastify';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import {
  clientAddress,
  clientRateLimitKey,
  createNetworkMatcher,
  networkOf,
} from '../../../../src/service/http/server/client-address.ts';
import { startTestService } from '../../../support/service.ts';

/** What a service that trusts `trustProxy` takes for the client of a request from `peer` with this header. */
async function seen(peer: string, header: string | undefined, trustProxy: readonly string[]) {
  const app = fastify(trustProxy.length > 0 ? { trustProxy: createNetworkMatcher(trustProxy) } : {});
  app.get('/', async (request) => [clientAddress(request), clientRateLimitKey(request)]);
  const answer = await app.inject({
    ...{ url: '/', remoteAddress: peer },
    headers: header === undefined ? {} : { 'x-forwarded-for': header },
  });
  await app.close();
  return answer.json() as [string, string];
}

const PROXIES = ['10.0.0.0/8', 'fd00::1'];

it.each([
  ['nobody is trusted', '203.0.113.9', '198.51.100.7', [], '203.0.113.9'],
  ['the peer is no trusted proxy', '203.0.113.9', '198.51.100.7', PROXIES, '203.0.113.9'],
  ['a trusted proxy names the client', '10.1.2.3', '198.51.100.7', PROXIES, '198.51.100.7'],
  [
    'the client names others before that',
    '10.1.2.3',
    '192.0.2.1, 10.9.9.9, 198.51.100.7',
    PROXIES,
    '198.51.100.7',
  ],
  [
    'several trusted proxies follow',
    '10.1.2.3',
    '192.0.2.1, 198.51.100.7, 10.0.0.8, fd00::1',
    PROXIES,
    '198.51.100.7',
  ],
  ['the client claims to be a proxy', '10.1.2.3', '10.0.0.1', PROXIES, '10.0.0.1'],
  ['the proxy adds a port', '10.1.2.3', '198.51.100.7:4711', PROXIES, '198.51.100.7'],
  ['the proxy adds a port to IPv6', '10.1.2.3', '[2001:db8::7]:4711', PROXIES, '2001:db8::7'],
  ['the last entry is no address', '10.1.2.3', '198.51.100.7, unknown', PROXIES, '10.1.2.3'],
  ['the last entry is a number', '10.1.2.3', '198.51.100.7, 3232235777', PROXIES, '10.1.2.3'],
  ['the header is missing', '10.1.2.3', undefined, PROXIES, '10.1.2.3'],
  ['the proxy comes as IPv4 in IPv6', '::ffff:10.1.2.3', '198.51.100.7', PROXIES, '198.51.100.7'],
  ['the client comes as IPv4 in IPv6', '::ffff:203.0.113.9', undefined, [], '203.0.113.9'],
  ['IPv6 is written at length', 'fd00::1', '2001:0DB8:0:0:0:0:0:7', PROXIES, '2001:db8::7'],
])('finds the client where %s', async (_, peer, header, trusted, expected) => {
  expect((await seen(peer, header, trusted))[0]).toBe(expected);
});

it('counts an IPv6 host by the network that it takes its addresses from', async () => {
  const [one, other] = await Promise.all([
    seen('2001:db8:1:2::a', undefined, []),
    seen('2001:db8:1:2:ffff::b', undefined, []),
  ]);
  expect(one[1]).toBe('2001:db8:1:2::/64');
  expect(other[1]).toBe(one[1]);
  expect((await seen('203.0.113.9', undefined, []))[1]).toBe('203.0.113.9');
  expect(networkOf('203.0.113.9', { ipv4: 24, ipv6: 48 })).toBe('203.0.113.0/24');
  expect(networkOf('unknown', { ipv4: 24, ipv6: 48 })).toBe('unknown');
});

it.each([
  ['trusts', ['127.0.0.1'], '198.51.100.7'],
  ['does not trust', [], '127.0.0.1'],
])('logs who the client is to a service that %s its proxy', async (_, trustProxy, client) => {
  const lines: string[] = [];
  const service = await startTestService({
    trustProxy,
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  });
  onTestFinished(() => service.close());
  await fetch(`${service.url}/health`, { headers: { 'x-forwarded-for': '198.51.100.7' } });
  await expect.poll(() => lines.filter((line) => line.includes('"answered"'))).toHaveLength(1);
  expect(JSON.parse(lines.find((line) => line.includes('"answered"')) ?? '{}')).toMatchObject({ client });
});

/** Whether a service denies private networks, by its options, its variables and where it listens. */
import { expect, it } from 'vitest';
import {
  deniesPrivateNetworks,
  parseTrustedProxies,
} from '../../../commands/service/shared/read-service-settings.ts';

const NEITHER = { denyPrivateNetworks: false, allowPrivateNetworks: false };
const DENY = { ...NEITHER, denyPrivateNetworks: true };
const ALLOW = { ...NEITHER, allowPrivateNetworks: true };

it.each([
  ['127.0.0.1', NEITHER, {}, false],
  ['127.8.8.8', NEITHER, {}, false],
  ['localhost', NEITHER, {}, false],
  ['::1', NEITHER, {}, false],
  ['::ffff:127.0.0.1', NEITHER, {}, false],
  ['0.0.0.0', NEITHER, {}, true],
  ['::', NEITHER, {}, true],
  ['192.168.1.5', NEITHER, {}, true],
  ['127.example.com', NEITHER, {}, true],
  ['127.0.0.1', DENY, {}, true],
  ['0.0.0.0', ALLOW, {}, false],
  ['127.0.0.1', NEITHER, { SONDE_DENY_PRIVATE_NETWORKS: '1' }, true],
  ['0.0.0.0', NEITHER, { SONDE_ALLOW_PRIVATE_NETWORKS: 'true' }, false],
  ['0.0.0.0', NEITHER, { SONDE_ALLOW_PRIVATE_NETWORKS: '0' }, true],
  ['0.0.0.0', DENY, { SONDE_ALLOW_PRIVATE_NETWORKS: '1' }, true],
  ['0.0.0.0', ALLOW, { SONDE_DENY_PRIVATE_NETWORKS: '1' }, false],
])('on %s with %o and %o: %s', (host, options, env, denies) => {
  expect(deniesPrivateNetworks(options, env, host)).toBe(denies);
});

it('refuses opposite words, and words that mean nothing', () => {
  expect(() => deniesPrivateNetworks({ ...DENY, ...ALLOW, denyPrivateNetworks: true }, {}, '::1')).toThrow(
    '--deny-private-networks and --allow-private-networks are mutually exclusive',
  );
  const both = { SONDE_DENY_PRIVATE_NETWORKS: '1', SONDE_ALLOW_PRIVATE_NETWORKS: '1' };
  expect(() => deniesPrivateNetworks(NEITHER, both, '::1')).toThrow('are mutually exclusive');
  expect(() => deniesPrivateNetworks(NEITHER, { SONDE_ALLOW_PRIVATE_NETWORKS: 'yes' }, '::1')).toThrow(
    'SONDE_ALLOW_PRIVATE_NETWORKS must be 1 or 0, not "yes"',
  );
});

it('takes proxies from the option, else from the variable', () => {
  const env = { SONDE_TRUST_PROXY: '10.0.0.5, fd00::/8' };
  expect(parseTrustedProxies([], env)).toEqual(['10.0.0.5', 'fd00::/8']);
  expect(parseTrustedProxies(['172.16.0.0/12,::1', '127.0.0.1'], env)).toEqual([
    '172.16.0.0/12',
    '::1',
    '127.0.0.1',
  ]);
  expect(parseTrustedProxies([], {})).toEqual([]);
});

it.each([
  'proxy.example.com',
  '0.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '10.0.0',
  'true',
])('refuses the proxy %s', (text) => {
  expect(() => parseTrustedProxies([text], {})).toThrow(
    `--trust-proxy must be addresses or networks of proxies, not "${text}"`,
  );
  expect(() => parseTrustedProxies([], { SONDE_TRUST_PROXY: text })).toThrow('SONDE_TRUST_PROXY must be');
});

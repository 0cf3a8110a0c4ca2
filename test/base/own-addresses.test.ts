/** Which addresses are those of this machine, and which of them reach a listener. */
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { isOfThisMachine, reachesListener } from '../../src/base/ip-addresses.ts';

it('knows loopback, unspecified and interface addresses, in every spelling', () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address } of own) expect(isOfThisMachine(address), address).toBe(true);
  for (const address of [
    '127.0.0.1',
    '127.255.0.9',
    '0.0.0.0',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '0:0:0:0:0:0:0:1',
  ])
    expect(isOfThisMachine(address), address).toBe(true);
  for (const address of ['9.9.9.9', '2620:fe::fe', '::ffff:9.9.9.9', 'localhost', ''])
    expect(isOfThisMachine(address), address).toBe(false);
});

it('knows a public address of an interface, also in IPv6', () => {
  const interfaces = {
    eth0: [{ address: '9.9.9.9' }, { address: '2620:fe::fe' }, { address: 'fe80::1%eth0' }],
  };
  for (const address of ['9.9.9.9', '::ffff:9.9.9.9', '2620:00fe:0::fe', 'fe80::1%eth0'])
    expect(isOfThisMachine(address, interfaces), address).toBe(true);
  expect(isOfThisMachine('9.9.9.10', interfaces)).toBe(false);
});

it('finds the listener of one address only there, and that of all addresses everywhere', () => {
  expect(reachesListener('127.0.0.1', '127.0.0.1')).toBe(true);
  expect(reachesListener('::ffff:127.0.0.1', '127.0.0.1')).toBe(true);
  expect(reachesListener('0.0.0.0', '127.0.0.1')).toBe(true);
  expect(reachesListener('127.0.0.2', '127.0.0.1')).toBe(false);
  expect(reachesListener('9.9.9.9', '0.0.0.0')).toBe(false);
  for (const host of ['0.0.0.0', '::']) expect(reachesListener('127.0.0.2', host)).toBe(true);
});

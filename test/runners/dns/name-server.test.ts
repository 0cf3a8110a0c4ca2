/** How a name server may be written, and which addresses a policy lets through. */
import { describe, expect, it } from 'vitest';
import { filterAllowed, parseNameServer } from '../../../src/runners/dns/name-server.ts';
import { systemResolvers } from '../../../src/runners/dns/system-resolvers.ts';

describe('a name server as it is written', () => {
  it.each([
    ['192.0.2.53', '192.0.2.53', undefined],
    ['192.0.2.53:5353', '192.0.2.53', 5353],
    ['dns.example.test', 'dns.example.test', undefined],
    ['dns.example.test:53', 'dns.example.test', 53],
    ['2001:db8::53', '2001:db8::53', undefined],
    ['[2001:db8::53]', '2001:db8::53', undefined],
    [' [2001:db8::53]:5353 ', '2001:db8::53', 5353],
  ])('%s', (written, host, port) => {
    expect(parseNameServer(written)).toEqual({ host, port });
  });

  it.each(['', 'a b', 'host:', 'host:x', '[192.0.2.1]:53', 'host:0', 'host:65536', 'a:b:c'])(
    'is refused as %j',
    (written) => {
      expect(() => parseNameServer(written)).toThrow(
        /^the name server ".*" must (?:be host, host:port or|have a port from 1)/,
      );
    },
  );

  it('can be each of the resolvers that the system names', () => {
    for (const resolver of systemResolvers()) expect(parseNameServer(resolver).host).not.toBe('');
  });
});

describe('a policy on addresses', () => {
  const deny = (address: string) => (address.startsWith('10.') ? 'private' : undefined);

  it('leaves the addresses that it allows', () => {
    expect(filterAllowed('ns.test', ['10.0.0.1', '192.0.2.1'], 53, deny)).toEqual([
      { address: '192.0.2.1', port: 53 },
    ]);
  });

  it('stops the run where it leaves none', () => {
    expect(() => filterAllowed('ns.test', ['10.0.0.1'], 53, deny)).toThrow(
      'the check is not allowed to contact the name server ns.test (private)',
    );
  });
});

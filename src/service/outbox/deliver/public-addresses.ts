/** Which addresses are the public's: what a stranger names must not lead into the machine or the network it stands in. */
import { BlockList, isIP } from 'node:net';

/** Special-purpose addresses (IANA): this machine, private and local networks, those of carriers, of tests and of groups. */
const IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Also those that carry an IPv4 address within (NAT64, 6to4, Teredo): it may be any. */
const IPV6 = [
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

const within = new BlockList();
for (const [family, networks] of [['ipv4', IPV4] as const, ['ipv6', IPV6] as const]) {
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    within.addSubnet(address, Number(length), family);
  }
}

/** Why an address that a stranger named is not called; undefined where it is the public's. */
export function denyNonPublic(address: string): string | undefined {
  const [bare = ''] = address.split('%');
  const isPublic = isIP(bare) !== 0 && !within.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
  return isPublic
    ? undefined
    : `${address} is no public address: who subscribes without a key names no other`;
}

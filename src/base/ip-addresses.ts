/** Recognizes addresses of this machine, and public ones, so that user-supplied targets cannot reach private networks. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Special-purpose networks (IANA): loopback, private, link-local, carrier, test and multicast. */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Includes networks that embed any IPv4 address (IPv4-translated, NAT64, 6to4, Teredo). */
const IPV6 = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const specialNetworks = new BlockList();
for (const [family, networks] of [['ipv4', IPV4] as const, ['ipv6', IPV6] as const]) {
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    specialNetworks.addSubnet(address, Number(length), family);
  }
}

/** Returns whether an IPv4 or IPv6 address, with or without a zone, is public. Other text is not. */
export function isPublicAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  return isIP(bare) !== 0 && !includes(specialNetworks, bare);
}

/** Returns whether an address or one of its networks is in a list. The address may have a zone. */
function includes(list: BlockList, address: string): boolean {
  const [bare = ''] = address.split('%');
  return isIP(bare) !== 0 && list.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** Creates a list of addresses, with those that reach this machine by naming none. */
function createAddressList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of ['0.0.0.0', '::', ...addresses])
    list.addAddress(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** Returns whether an address belongs to this machine. Reads the network interfaces each time, because they change. */
export function isOfThisMachine(
  address: string,
  interfaces: Readonly<
    Record<string, readonly { readonly address: string }[] | undefined>
  > = networkInterfaces(),
): boolean {
  const own = Object.values(interfaces).flatMap((each) => each ?? []);
  const list = createAddressList(own.map((each) => each.address.split('%')[0] ?? ''));
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  return includes(list, address);
}

/** Returns whether a connection to an address reaches a listener that is bound to `host`, an address. */
export const reachesListener = (address: string, host: string): boolean =>
  host === '0.0.0.0' || host === '::'
    ? isOfThisMachine(address)
    : includes(createAddressList([host]), address);

/** Returns whether an address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\./.test(address) || address === '::1';

/** Returns whether a listen address or host name is reachable only from this machine. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host === '::1' ||
  (isIPv4(host.replace(/^::ffff:/i, '')) && isLoopback(host.toLowerCase()));

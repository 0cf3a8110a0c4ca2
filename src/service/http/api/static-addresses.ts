/** Handles the source addresses of checks: by region (endpoint 19), as lists and as text files. */
import { isIPv4 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import type { FileDownload } from '../../engine/artifacts/artifact-files.ts';
import type { HandlerContext, Handlers } from './handler.ts';

type SendHeader = (name: string, value: string) => void;
type Family = 'IPv4' | 'IPv6';

const LINK_LOCAL: Readonly<Record<Family, RegExp>> = { IPv4: /^169\.254\./, IPv6: /^fe[89ab]/i };

/** Returns the outbound addresses of this machine. Link-local addresses are not routable. */
function localAddresses(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
  family: Family,
): string[] {
  const outbound = Object.values(interfaces)
    .flatMap((infos) => infos ?? [])
    .filter((info) => info.family === family && !info.internal && !LINK_LOCAL[family].test(info.address));
  return [...new Set(outbound.map(({ address }) => address))].sort();
}

const familyOf = (address: string): Family => (isIPv4(address.split('/')[0] ?? '') ? 'IPv4' : 'IPv6');

/** Returns an address in CIDR notation, as published for IPv6. */
const toNetwork = (address: string): string => (address.includes('/') ? address : `${address}/128`);

const SIMULATED =
  'This service runs all public locations on its own machine: each region lists the addresses of that machine.';

function toFile(lines: readonly string[], header: SendHeader): FileDownload {
  const text = lines.map((line) => `${line}\n`).join('');
  header('content-type', 'text/plain; charset=utf-8');
  return { bytes: Buffer.byteLength(text), stream: Readable.from([text], { objectMode: false }) };
}

export function staticAddressHandlers({ staticAddresses, locations }: HandlerContext) {
  function byRegion(family: Family, header: SendHeader): Record<string, string[]> {
    if (staticAddresses === undefined) {
      header('x-warning', SIMULATED);
      const addresses = localAddresses(networkInterfaces(), family);
      return Object.fromEntries(locations.map((location) => [location, addresses]));
    }
    return Object.fromEntries(
      Object.entries(staticAddresses).map(([region, addresses]) => [
        region,
        addresses.filter((address) => familyOf(address) === family),
      ]),
    );
  }
  const networksByRegion = (header: SendHeader) =>
    Object.fromEntries(
      Object.entries(byRegion('IPv6', header)).map(([region, all]) => [region, all.map(toNetwork)]),
    );
  const flatten = (regions: Readonly<Record<string, readonly string[]>>) => [
    ...new Set(Object.values(regions).flat()),
  ];

  return {
    listStaticIpsByRegion: async ({ header }) => byRegion('IPv4', header),
    listStaticIps: async ({ header }) => flatten(byRegion('IPv4', header)),
    getStaticIpsText: async ({ header }) => toFile(flatten(byRegion('IPv4', header)), header),
    listStaticIpv6sByRegion: async ({ header }) => networksByRegion(header),
    listStaticIpv6s: async ({ header }) => flatten(networksByRegion(header)),
    getStaticIpv6sText: async ({ header }) => toFile(flatten(networksByRegion(header)), header),
  } satisfies Partial<Handlers>;
}

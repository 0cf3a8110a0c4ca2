/** Handles the list of source addresses by region (endpoint 19). */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { HandlerContext, Handlers } from './handler.ts';

/** Returns the outbound IPv4 addresses of this machine. Link-local addresses are not routable. */
function localAddresses(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): string[] {
  const outbound = Object.values(interfaces)
    .flatMap((infos) => infos ?? [])
    .filter(
      ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
    );
  return [...new Set(outbound.map(({ address }) => address))].sort();
}

const SIMULATED =
  'This service runs all public locations on its own machine: each region lists the addresses of that machine.';

export function staticAddressHandlers({ staticAddresses, locations }: HandlerContext) {
  return {
    async listStaticIpsByRegion({ header }) {
      if (staticAddresses === undefined) {
        header('x-warning', SIMULATED);
        const addresses = localAddresses(networkInterfaces());
        return Object.fromEntries(locations.map((location) => [location, addresses]));
      }
      return Object.fromEntries(
        Object.entries(staticAddresses).map(([region, addresses]) => [region, [...addresses]]),
      );
    },
  } satisfies Partial<Handlers>;
}

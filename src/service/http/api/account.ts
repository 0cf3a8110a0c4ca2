/** Handles the settings of an account, default alert settings and secret detection, and static addresses (endpoint 19). */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { updateAccountAlertSettings } from '../../../contract/index.ts';
import type { AccountAlertSettings } from '../../store/index.ts';
import { applyDefaults } from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';

/** Default settings: an alert after the first failed run, no reminders. */
const UNSET: AccountAlertSettings = {
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: {},
  parallelRunFailureThreshold: {},
};

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

export function accountHandlers({ store, staticAddresses, locations }: HandlerContext) {
  return {
    async getAccountAlertSettings({ accountId }) {
      const account = await store.accounts.get(accountId);
      return applyDefaults(updateAccountAlertSettings, account?.alertSettings ?? UNSET);
    },
    async updateAccountAlertSettings({ accountId, endpoint, body }) {
      const settings = applyDefaults(endpoint, body);
      await store.accounts.setAlertSettings(accountId, settings);
      return settings;
    },
    async getSecretDetection({ accountId }) {
      return { enabled: (await store.accounts.get(accountId))?.detectsSecrets === true };
    },
    async updateSecretDetection({ accountId, body: { enabled } }) {
      await store.accounts.setSecretDetection(accountId, enabled);
      return { enabled };
    },
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
  } satisfies HandlersFor<
    | 'getAccountAlertSettings'
    | 'updateAccountAlertSettings'
    | 'getSecretDetection'
    | 'updateSecretDetection'
    | 'listStaticIpsByRegion'
  >;
}

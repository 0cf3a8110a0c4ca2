/** What holds for a whole account: alert settings of what has none of its own, and whether secrets are detected. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { updateAccountAlertSettings } from '../../../contract/index.ts';
import type { AccountAlertSettings } from '../../store/index.ts';
import { applyDefaults } from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';

/** Settings of an account that never set any: an alert after the first failed run, no reminders. */
const UNSET: AccountAlertSettings = {
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: {},
  parallelRunFailureThreshold: {},
};

/** IPv4 addresses that a machine's own interfaces send from; link-local ones lead nowhere. */
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

/** Handles the settings of an account: default alert settings, secret detection and public badges. */
import { updateAccountAlertSettings } from '../../../contract/index.ts';
import type { AccountAlertSettings } from '../../store/index.ts';
import { applyDefaults } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';

/** Default settings: an alert after the first failed run, no reminders. */
const UNSET: AccountAlertSettings = {
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: {},
  parallelRunFailureThreshold: {},
};

export function accountHandlers({ store }: HandlerContext) {
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
    async getPublicBadges({ accountId }) {
      return { enabled: (await store.accounts.get(accountId))?.hasPublicBadges === true };
    },
    async updatePublicBadges({ accountId, body: { enabled } }) {
      await store.accounts.setPublicBadges(accountId, enabled);
      return { enabled };
    },
  } satisfies Partial<Handlers>;
}

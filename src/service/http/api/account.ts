/** What holds for a whole account: alert settings of what has none of its own, and whether secrets are detected. */
import { updateAccountAlertSettings } from '../../../contract/index.ts';
import type { AccountAlertSettings } from '../../store/index.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { completed } from './documents.ts';

/** Settings of an account that never set any: an alert after the first failed run, no reminders. */
const UNSET: AccountAlertSettings = {
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: {},
  parallelRunFailureThreshold: {},
};

export function accountHandlers({ store }: HandlerContext) {
  return {
    async getAccountAlertSettings({ accountId }) {
      const account = await store.accounts.get(accountId);
      return completed(updateAccountAlertSettings, account?.alertSettings ?? UNSET);
    },
    async updateAccountAlertSettings({ accountId, endpoint, body }) {
      const settings = completed(endpoint, body);
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
  } satisfies HandlersFor<
    'getAccountAlertSettings' | 'updateAccountAlertSettings' | 'getSecretDetection' | 'updateSecretDetection'
  >;
}

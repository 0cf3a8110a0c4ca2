/** Creates the repositories of the store, each on first access. */
import { accounts } from './accounts.ts';
import { alertStates } from './alert-states.ts';
import { apiKeys } from './api-keys.ts';
import { checkGroups } from './check-groups.ts';
import { checks } from './checks.ts';
import { codeBundles } from './code-bundles.ts';
import { documents } from './documents.ts';
import { heartbeats } from './heartbeats.ts';
import { incidents } from './incidents.ts';
import { lazyProperties } from './lazy-properties.ts';
import { maintenanceWindows } from './maintenance-windows.ts';
import { outbox } from './outbox.ts';
import { pageAccess } from './page-access.ts';
import { privateLocations } from './private-locations.ts';
import { settings } from './settings.ts';
import { statusPages } from './status-pages.ts';
import { subscribers } from './subscribers.ts';
import { subscriptionRequests } from './subscription-requests.ts';
import { subscriptions } from './subscriptions.ts';
import { triggers } from './triggers.ts';

export const createRepositories = lazyProperties({
  accounts,
  keys: apiKeys,
  checks,
  groups: checkGroups,
  subscriptions,
  triggers,
  privateLocations,
  maintenanceWindows,
  outbox,
  alertStates,
  statusPages,
  incidents,
  pageAccess,
  subscribers,
  subscriptionRequests,
  settings,
  heartbeats,
  codeBundles,
  alertChannels: (context) => documents(context).alertChannels,
  snippets: (context) => documents(context).snippets,
  variables: (context) => documents(context).variables,
  dashboards: (context) => documents(context).dashboards,
  services: (context) => documents(context).services,
});

export type Repositories = ReturnType<typeof createRepositories>;

/** Creates the repositories of the store, each on first access: a transaction needs few of them. */
import { accounts, apiKeys } from './accounts.ts';
import { alertStates, subscriptions } from './alerts.ts';
import { automationRules } from './automation-rules.ts';
import { checkActivity } from './check-activity.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkLocations } from './check-locations.ts';
import { checkOverview } from './check-overview.ts';
import { checks } from './checks.ts';
import { codeBundles } from './code-bundles.ts';
import type { StoreContext } from './context.ts';
import { dashboardIncidents } from './dashboard-incidents.ts';
import { dashboards } from './dashboards.ts';
import { deploymentTriggers, githubWebhooks } from './deployment-triggers.ts';
import {
  alertChannels,
  checkGroups,
  clientCertificates,
  services,
  snippets,
  variables,
} from './documents.ts';
import { errorGroups } from './engine/error-groups.ts';
import { measurements } from './engine/measurements.ts';
import { artifacts, results } from './engine/results.ts';
import { retention } from './engine/retention.ts';
import { rollUps } from './engine/rollups.ts';
import { runs } from './engine/runs.ts';
import { schedule } from './engine/schedule.ts';
import { sessions } from './engine/sessions.ts';
import { statistics } from './engine/statistics.ts';
import { suiteRuns } from './engine/suite-runs.ts';
import { testSessionErrors } from './engine/test-session-errors.ts';
import { testSessions } from './engine/test-sessions.ts';
import { heartbeats } from './heartbeats.ts';
import { locationOutages } from './location-outages.ts';
import { locationQueues } from './location-queues.ts';
import { maintenanceWindows } from './maintenance-windows.ts';
import { notices } from './notices.ts';
import { outbox } from './outbox.ts';
import { pendingAlerts } from './pending-alerts.ts';
import { privateLocations } from './private-locations.ts';
import { projects } from './projects.ts';
import { sentAlerts } from './sent-alerts.ts';
import { settings } from './settings.ts';
import { signIns } from './sign-ins.ts';
import { incidents, pageAccess, statusPages } from './status-pages.ts';
import { subscribers, subscriptionRequests } from './subscribers.ts';
import { triggers } from './triggers.ts';

const FACTORIES = {
  accounts,
  keys: apiKeys,
  checks,
  checkActivity,
  checkDependencies,
  checkLocations,
  checkOverview,
  groups: checkGroups,
  subscriptions,
  triggers,
  privateLocations,
  locationOutages,
  locationQueues,
  projects,
  maintenanceWindows,
  notices,
  outbox,
  sentAlerts,
  alertStates,
  pendingAlerts,
  statusPages,
  incidents,
  automationRules,
  pageAccess,
  subscribers,
  subscriptionRequests,
  settings,
  signIns,
  heartbeats,
  codeBundles,
  alertChannels,
  clientCertificates,
  snippets,
  variables,
  dashboards,
  dashboardIncidents,
  deploymentTriggers,
  githubWebhooks,
  services,
  sessions,
  testSessions,
  runs,
  results,
  artifacts,
  errorGroups,
  testSessionErrors,
  rollUps,
  statistics,
  measurements,
  suiteRuns,
  retention,
  schedule,
};

export type Repositories = {
  readonly [Name in keyof typeof FACTORIES]: ReturnType<(typeof FACTORIES)[Name]>;
};

const CONTEXT = Symbol('context');
interface Holder {
  readonly [CONTEXT]: StoreContext;
}

const prototype = {};
for (const [name, create] of Object.entries(FACTORIES)) {
  Object.defineProperty(prototype, name, {
    get(this: Holder) {
      const value = create(this[CONTEXT]);
      Object.defineProperty(this, name, { value });
      return value;
    },
  });
}

/** Returns the repositories. They are inherited properties: spreading the object loses them. */
export const createRepositories = (context: StoreContext): Repositories =>
  Object.assign(Object.create(prototype) as Repositories, { [CONTEXT]: context });

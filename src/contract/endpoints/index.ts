/** Lists every endpoint of the service by name. Build time only. */
import * as accountResources from './account-resources.ts';
import * as accounts from './accounts.ts';
import * as agents from './agents.ts';
import * as alertChannels from './alert-channels.ts';
import * as aliases from './aliases.ts';
import * as analytics from './analytics.ts';
import * as automationRules from './automation-rules.ts';
import * as badges from './badges.ts';
import * as batch from './batch.ts';
import * as checkAlerts from './check-alerts.ts';
import { analyticsEndpoints } from './check-analytics.ts';
import * as checkGroups from './check-groups.ts';
import { checkTypeEndpoints } from './check-types.ts';
import * as checks from './checks.ts';
import * as clientCertificates from './client-certificates.ts';
import * as dashboardIncidents from './dashboard-incidents.ts';
import * as deploymentTriggers from './deployment-triggers.ts';
import * as detachedRuns from './detached-runs.ts';
import * as firstRequests from './first-requests.ts';
import * as groupChecks from './group-checks.ts';
import * as heartbeatEvents from './heartbeat-events.ts';
import * as incidentUpdates from './incident-updates.ts';
import * as maintenanceWindows from './maintenance-windows.ts';
import * as pageSubscriptions from './page-subscriptions.ts';
import * as platform from './platform.ts';
import * as projects from './projects.ts';
import * as signIn from './sign-in.ts';
import * as singleResults from './single-results.ts';
import * as specification from './specification.ts';
import * as statusPages from './status-pages.ts';

const all = {
  ...accountResources,
  ...accounts,
  ...agents,
  ...alertChannels,
  ...aliases,
  ...analytics,
  ...analyticsEndpoints,
  ...automationRules,
  ...badges,
  ...batch,
  ...checkAlerts,
  ...checkGroups,
  ...checkTypeEndpoints,
  ...checks,
  ...clientCertificates,
  ...dashboardIncidents,
  ...deploymentTriggers,
  ...detachedRuns,
  ...incidentUpdates,
  ...firstRequests,
  ...groupChecks,
  ...heartbeatEvents,
  ...maintenanceWindows,
  ...pageSubscriptions,
  ...platform,
  ...projects,
  ...signIn,
  ...singleResults,
  ...specification,
  ...statusPages,
};

export const table = Object.fromEntries(
  Object.entries<unknown>(all).sort(([one], [other]) => (one < other ? -1 : 1)),
) as typeof all;

/** Creates all handlers. The compiler checks that every endpoint of the contract has one. */

import { accountHandlers } from './account.ts';
import { accountReadHandlers } from './accounts.ts';
import { agentHandlers } from './agents.ts';
import { alertChannelHandlers } from './alert-channels.ts';
import { alertNotificationHandlers } from './alert-notifications.ts';
import { aliasHandlers } from './aliases.ts';
import { analyticsHandlers } from './analytics.ts';
import { artifactHandlers } from './artifacts.ts';
import { automationRuleHandlers } from './automation-rules.ts';
import { badgeLinkHandlers } from './badges.ts';
import { batchHandlers } from './batch.ts';
import { checkAlertHandlers } from './check-alerts.ts';
import { checkGroupHandlers } from './check-groups.ts';
import { checkResultHandlers } from './check-results.ts';
import { checkSessionHandlers } from './check-sessions.ts';
import { checkStatusHandlers } from './check-statuses.ts';
import { checkHandlers } from './checks.ts';
import { clientCertificateHandlers } from './client-certificates.ts';
import { codeBundleHandlers } from './code-bundles.ts';
import { dashboardIncidentHandlers } from './dashboard-incidents.ts';
import { dashboardHandlers } from './dashboards.ts';
import { deploymentTriggerHandlers } from './deployment-triggers.ts';
import { detachedRunHandlers } from './detached-runs.ts';
import { documentHandlers } from './document-handlers.ts';
import { errorGroupHandlers } from './error-groups.ts';
import { groupCheckHandlers } from './group-checks.ts';
import type { HandlerContext, Handlers, ResourceHandlers } from './handler.ts';
import { heartbeatEventHandlers } from './heartbeat-events.ts';
import { incidentUpdateHandlers } from './incident-updates.ts';
import { incidentHandlers } from './incidents.ts';
import { maintenanceWindowHandlers } from './maintenance-windows.ts';
import { maintenanceHandlers } from './maintenances.ts';
import { pageSubscriptionHandlers } from './page-subscriptions.ts';
import { platformHandlers } from './platform.ts';
import { privateLocationHandlers } from './private-locations.ts';
import { projectHandlers } from './projects.ts';
import { signInLinkHandlers } from './sign-in-links.ts';
import { staticAddressHandlers } from './static-addresses.ts';
import { statusPageHandlers } from './status-pages.ts';
import { testSessionHandlers } from './test-sessions.ts';
import { triggerHandlers } from './triggers.ts';

/** Creates the handlers of all resources except projects and batches, which call them. */
function createResourceHandlers(context: HandlerContext): ResourceHandlers {
  const handlers = {
    ...accountHandlers(context),
    ...accountReadHandlers(context),
    ...agentHandlers(context),
    ...alertChannelHandlers(context),
    ...alertNotificationHandlers(context),
    ...analyticsHandlers(context),
    ...artifactHandlers(context),
    ...automationRuleHandlers(context),
    ...checkAlertHandlers(context),
    ...checkGroupHandlers(context),
    ...checkHandlers(context),
    ...checkResultHandlers(context),
    ...checkSessionHandlers(context),
    ...clientCertificateHandlers(context),
    ...checkStatusHandlers(context),
    ...codeBundleHandlers(context),
    ...badgeLinkHandlers(context),
    ...dashboardHandlers(context),
    ...dashboardIncidentHandlers(context),
    ...deploymentTriggerHandlers(context),
    ...detachedRunHandlers(context),
    ...documentHandlers(context),
    ...errorGroupHandlers(context),
    ...groupCheckHandlers(context),
    ...heartbeatEventHandlers(context),
    ...incidentHandlers(context),
    ...incidentUpdateHandlers(context),
    ...maintenanceWindowHandlers(context),
    ...maintenanceHandlers(context),
    ...pageSubscriptionHandlers(context),
    ...platformHandlers(context),
    ...privateLocationHandlers(context),
    ...signInLinkHandlers(context),
    ...staticAddressHandlers(context),
    ...statusPageHandlers(context),
    ...testSessionHandlers(context),
    ...triggerHandlers(context),
  };
  return { ...handlers, ...aliasHandlers(handlers) };
}

export const createHandlers = (context: HandlerContext): Handlers => ({
  ...createResourceHandlers(context),
  ...batchHandlers(context, createResourceHandlers),
  ...projectHandlers(context, createResourceHandlers),
});
